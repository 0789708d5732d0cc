// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later

package main

import (
	"encoding/json"
	"fmt"

	"github.com/jfrog/jfrog-client-go/config"
	"github.com/jfrog/jfrog-client-go/lifecycle"
	"github.com/jfrog/jfrog-client-go/lifecycle/auth"
	"github.com/jfrog/jfrog-client-go/lifecycle/services"
)

func connectLifecycle(url, token string) (*lifecycle.LifecycleServicesManager, error) {
	details := auth.NewLifecycleDetails()
	details.SetUrl(url + "/lifecycle/")
	details.SetAccessToken(token)
	settings, err := config.NewConfigBuilder().SetServiceDetails(details).SetHttpRetries(0).Build()
	if err != nil {
		return nil, err
	}
	return lifecycle.New(settings)
}

// runBundleCall runs a call for the version `other` of a release bundle. `class` is its project, `type` the kind of its
// source, and `force` waits for the end of an operation.
func (platform *Platform) runBundleCall(call Call) (any, error) {
	manager := platform.lifecycle
	bundle := services.ReleaseBundleDetails{ReleaseBundleName: call.Name, ReleaseBundleVersion: call.Other}
	params := services.CommonOptionalQueryParams{ProjectKey: call.Class, Async: !call.Force}
	switch call.Call {
	case "create_bundle":
		return nil, platform.createBundle(call, bundle, params)
	case "exists_bundle":
		return manager.IsReleaseBundleExist(call.Name, call.Other, call.Class)
	case "status_of_bundle":
		return manager.GetReleaseBundleCreationStatus(bundle, call.Class, call.Force)
	case "get_bundle":
		return manager.GetReleaseBundleSpecification(bundle)
	case "promote_bundle":
		var promotion services.RbPromotionParams
		if err := json.Unmarshal(call.Body, &promotion); err != nil {
			return nil, err
		}
		return manager.PromoteReleaseBundle(bundle, params, "", promotion)
	case "promotions_of_bundle":
		options := services.GetPromotionsOptionalQueryParams{ProjectKey: call.Class, Include: "messages"}
		return manager.GetReleaseBundleVersionPromotions(bundle, options)
	case "promotion_status_of_bundle":
		return manager.GetReleaseBundlePromotionStatus(bundle, call.Class, call.Type, call.Force)
	case "delete_promotion_of_bundle":
		return nil, manager.DeleteReleaseBundleVersionPromotion(bundle, params, call.Type)
	case "delete_bundle":
		return nil, manager.DeleteReleaseBundleVersion(bundle, params)
	}
	return nil, fmt.Errorf("unknown call: %s", call.Call)
}

func (platform *Platform) createBundle(
	call Call, bundle services.ReleaseBundleDetails, params services.CommonOptionalQueryParams,
) error {
	manager := platform.lifecycle
	var artifacts services.CreateFromArtifacts
	var aql services.CreateFromAqlSource
	var builds services.CreateFromBuildsSource
	var bundles services.CreateFromReleaseBundlesSource
	var sources []services.RbSource
	source := map[string]any{
		"artifacts": &artifacts, "aql": &aql, "builds": &builds, "release_bundles": &bundles, "sources": &sources,
	}[call.Type]
	if err := json.Unmarshal(call.Body, source); err != nil {
		return err
	}
	switch call.Type {
	case "artifacts":
		return manager.CreateReleaseBundleFromArtifacts(bundle, params, "", artifacts)
	case "aql":
		return manager.CreateReleaseBundleFromAql(bundle, params, "", aql.Aql)
	case "builds":
		return manager.CreateReleaseBundleFromBuilds(bundle, params, "", builds)
	case "release_bundles":
		return manager.CreateReleaseBundleFromBundles(bundle, params, "", bundles)
	}
	_, err := manager.CreateReleaseBundlesFromMultipleSources(bundle, params, "", sources)
	return err
}
