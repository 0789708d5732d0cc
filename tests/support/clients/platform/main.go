// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later

// Administers a JFrog Platform with jfrog-client-go: platform URL TOKEN < calls > outcomes
//
// Each line of the input is a call, such as {"call": "create_repository", "class": "local", "type": "docker", "body":
// {...}}. Each line of the output is its outcome, {"result": ...} or {"error": "..."}.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"

	"github.com/jfrog/jfrog-client-go/access"
	accessauth "github.com/jfrog/jfrog-client-go/access/auth"
	accessservices "github.com/jfrog/jfrog-client-go/access/services"
	"github.com/jfrog/jfrog-client-go/artifactory"
	"github.com/jfrog/jfrog-client-go/artifactory/auth"
	"github.com/jfrog/jfrog-client-go/artifactory/services"
	"github.com/jfrog/jfrog-client-go/config"
	"github.com/jfrog/jfrog-client-go/lifecycle"
	"github.com/jfrog/jfrog-client-go/utils/log"
)

// Call is one line of the input. Which members count depends on the call.
type Call struct {
	Call  string          `json:"call"`
	Class string          `json:"class"`
	Type  string          `json:"type"`
	Name  string          `json:"name"`
	Other string          `json:"other"`
	Force bool            `json:"force"`
	Body  json.RawMessage `json:"body"`
}

// Platform has the clients of Artifactory, of the Access service and of release bundles.
type Platform struct {
	artifactory artifactory.ArtifactoryServicesManager
	access      *access.AccessServicesManager
	lifecycle   *lifecycle.LifecycleServicesManager
}

func main() {
	log.SetLogger(log.NewLoggerWithFlags(log.ERROR, io.Discard, 0))
	platform, err := connect(os.Args[1], os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	calls, outcomes := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var call Call
		if err := calls.Decode(&call); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		result, err := platform.run(call)
		if err != nil {
			_ = outcomes.Encode(map[string]any{"error": err.Error()})
			continue
		}
		_ = outcomes.Encode(map[string]any{"result": result})
	}
}

func connect(url, token string) (*Platform, error) {
	artifactoryDetails := auth.NewArtifactoryDetails()
	artifactoryDetails.SetUrl(url + "/artifactory/")
	artifactoryDetails.SetAccessToken(token)
	settings, err := config.NewConfigBuilder().SetServiceDetails(artifactoryDetails).SetHttpRetries(0).Build()
	if err != nil {
		return nil, err
	}
	artifactoryManager, err := artifactory.New(settings)
	if err != nil {
		return nil, err
	}
	accessDetails := accessauth.NewAccessDetails()
	accessDetails.SetUrl(url + "/access/")
	accessDetails.SetAccessToken(token)
	settings, err = config.NewConfigBuilder().SetServiceDetails(accessDetails).SetHttpRetries(0).Build()
	if err != nil {
		return nil, err
	}
	accessManager, err := access.New(settings)
	if err != nil {
		return nil, err
	}
	lifecycleManager, err := connectLifecycle(url, token)
	return &Platform{artifactory: artifactoryManager, access: accessManager, lifecycle: lifecycleManager}, err
}

func (platform *Platform) run(call Call) (any, error) {
	switch subject := call.Call[strings.Index(call.Call, "_")+1:]; subject {
	case "repository", "repositories":
		return platform.runRepositoryCall(call)
	case "user", "users", "group":
		return platform.runAccountCall(call)
	case "permission", "permissions", "replication":
		return platform.runPermissionOrReplicationCall(call)
	case "bundle", "of_bundle", "status_of_bundle", "promotion_of_bundle":
		return platform.runBundleCall(call)
	default:
		return platform.runProjectCall(call)
	}
}

func (platform *Platform) runRepositoryCall(call Call) (any, error) {
	manager := platform.artifactory
	switch call.Call {
	case "create_repository", "update_repository":
		return nil, platform.writeRepository(call)
	case "get_repository":
		var repository map[string]any
		return repository, errors.Join(manager.GetRepository(call.Name, &repository))
	case "list_repositories":
		return manager.GetAllRepositoriesFiltered(services.RepositoriesFilterParams{RepoType: call.Class, PackageType: call.Type})
	case "create_repositories", "update_repositories":
		return nil, manager.CreateUpdateRepositoriesInBatch(call.Body, call.Call == "update_repositories")
	case "delete_repository":
		return nil, manager.DeleteRepository(call.Name)
	case "federate_repository":
		return nil, manager.ConvertLocalToFederatedRepository(call.Name)
	}
	return nil, fmt.Errorf("unknown call: %s", call.Call)
}

// writeRepository calls the method for the package type of the service for the class, such as Docker(params).
func (platform *Platform) writeRepository(call Call) error {
	manager := reflect.ValueOf(platform.artifactory)
	verb := map[string]string{"create_repository": "Create", "update_repository": "Update"}[call.Call]
	service := manager.MethodByName(verb + title(call.Class) + "Repository").Call(nil)[0]
	write := service.MethodByName(title(call.Type))
	if !write.IsValid() {
		return fmt.Errorf("the client has no %s repositories of type %s", call.Class, call.Type)
	}
	params := reflect.New(write.Type().In(0))
	if err := json.Unmarshal(call.Body, params.Interface()); err != nil {
		return err
	}
	err, _ := write.Call([]reflect.Value{params.Elem()})[0].Interface().(error)
	return err
}

func (platform *Platform) runAccountCall(call Call) (any, error) {
	manager := platform.artifactory
	user, group := services.NewUserParams(), services.NewGroupParams()
	group.IncludeUsers = true
	if call.Call == "get_group" || strings.HasSuffix(call.Call, "e_group") {
		if err := decode(call, &group.GroupDetails); err != nil {
			return nil, err
		}
	} else if err := decode(call, &user.UserDetails); err != nil {
		return nil, err
	}
	switch call.Call {
	case "create_user":
		return nil, manager.CreateUser(user)
	case "update_user":
		return nil, manager.UpdateUser(user)
	case "get_user":
		return manager.GetUser(user)
	case "list_users":
		return manager.GetAllUsers()
	case "locked_users":
		return manager.GetLockedUsers()
	case "unlock_user":
		return nil, manager.UnlockUser(call.Name)
	case "delete_user":
		return nil, manager.DeleteUser(call.Name)
	case "create_group":
		return nil, manager.CreateGroup(group)
	case "update_group":
		return nil, manager.UpdateGroup(group)
	case "get_group":
		return manager.GetGroup(group)
	case "delete_group":
		return nil, manager.DeleteGroup(call.Name)
	}
	return nil, fmt.Errorf("unknown call: %s", call.Call)
}

func (platform *Platform) runPermissionOrReplicationCall(call Call) (any, error) {
	manager := platform.artifactory
	permission := services.NewPermissionTargetParams()
	creation, update := services.NewCreateReplicationParams(), services.NewUpdateReplicationParams()
	for _, params := range []any{&permission, &creation.ReplicationParams, &update.ReplicationParams} {
		if err := decode(call, params); err != nil {
			return nil, err
		}
	}
	switch call.Call {
	case "create_permission":
		return nil, manager.CreatePermissionTarget(permission)
	case "update_permission":
		return nil, manager.UpdatePermissionTarget(permission)
	case "get_permission":
		return manager.GetPermissionTarget(call.Name)
	case "list_permissions":
		return manager.GetAllPermissionTargets()
	case "delete_permission":
		return nil, manager.DeletePermissionTarget(call.Name)
	case "create_replication":
		return nil, manager.CreateReplication(creation)
	case "update_replication":
		return nil, manager.UpdateReplication(update)
	case "get_replication":
		return manager.GetReplication(call.Name)
	case "delete_replication":
		return nil, manager.DeleteReplication(call.Name)
	}
	return nil, fmt.Errorf("unknown call: %s", call.Call)
}

func (platform *Platform) runProjectCall(call Call) (any, error) {
	manager := platform.access
	project, group := accessservices.NewProjectParams(), accessservices.ProjectGroup{}
	for _, params := range []any{&project.ProjectDetails, &group} {
		if err := decode(call, params); err != nil {
			return nil, err
		}
	}
	switch call.Call {
	case "create_project":
		return nil, manager.CreateProject(project)
	case "update_project":
		return nil, manager.UpdateProject(project)
	case "get_project":
		return manager.GetProject(call.Name)
	case "list_projects":
		return manager.GetAllProjects()
	case "delete_project":
		return nil, manager.DeleteProject(call.Name)
	case "assign_to_project":
		return nil, manager.AssignRepoToProject(call.Name, call.Other, call.Force)
	case "unassign_from_project":
		return nil, manager.UnassignRepoFromProject(call.Name)
	case "list_project_groups":
		return manager.GetProjectsGroups(call.Name)
	case "update_project_group":
		return nil, manager.UpdateGroupInProject(call.Name, call.Other, group)
	case "delete_project_group":
		return nil, manager.DeleteExistingProjectGroup(call.Name, call.Other)
	}
	return nil, fmt.Errorf("unknown call: %s", call.Call)
}

// decode reads the body of a call. Without a body, the parameters have only the name.
func decode(call Call, params any) error {
	body := call.Body
	if body == nil {
		body, _ = json.Marshal(map[string]string{"name": call.Name})
	}
	return json.Unmarshal(body, params)
}

func title(text string) string {
	return strings.ToUpper(text[:1]) + text[1:]
}
