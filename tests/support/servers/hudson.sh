#!/usr/bin/env bash
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
#
# hudson.sh [PORT HOME]
#
# Without arguments, only fetches the server.
#
# Runs Hudson 1.395, a real CI server (the last release before it was renamed
# to Jenkins), on 127.0.0.1:PORT with the folder HOME as its home. Becomes the
# server's process: it runs until that is ended, and logs to standard output.
# Needs a JDK (java, javac, jar; 17 is known to work) and mvn; no root. The
# first run fetches 60 MB from Maven Central.
#
# Environment, all optional:
#   HUDSON_CSRF      1: ask for a crumb on every POST
#   HUDSON_USER,     switch security on, with this administrator; nobody else
#   HUDSON_PASSWORD  may do anything
#   HUDSON_READER,          a second user, who may only read (needs
#   HUDSON_READER_PASSWORD  HUDSON_USER)
#   HUDSON_CACHE     where the unpacked server lies (default build/hudson in
#                    the checkout)
# A home folder that already has a config.xml is used as it is: HUDSON_CSRF
# and the users only go into a new one.
set -euo pipefail

port=${1-}
home=${2-}
[ $# = 0 ] || [ $# = 2 ] || { echo "usage: hudson.sh [PORT HOME]" >&2; exit 1; }
script=$(readlink -f "${BASH_SOURCE[0]}")
cache=${HUDSON_CACHE:-$(dirname "$script")/../../../build/hudson}
hudson=1.395
jetty=9.4.57.v20241219

die() { echo "hudson.sh: $*" >&2; exit 1; }
for tool in java javac jar mvn; do
  command -v "$tool" >/dev/null || die "no $tool on the path"
done
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)

# --- 1. the server, laid out for this JDK ----------------------------------
fetch() { # folder
  cat >"$1/pom.xml" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>local</groupId><artifactId>hudson-for-tests</artifactId>
  <version>0</version><packaging>pom</packaging>
  <build><plugins><plugin>
    <groupId>org.apache.maven.plugins</groupId>
    <artifactId>maven-dependency-plugin</artifactId>
    <version>3.8.1</version>
    <configuration>
      <outputDirectory>$1</outputDirectory>
      <stripVersion>true</stripVersion>
      <artifactItems>
        <artifactItem><groupId>org.jvnet.hudson.main</groupId><artifactId>hudson-war</artifactId><version>$hudson</version><type>war</type></artifactItem>
        <artifactItem><groupId>org.eclipse.jetty</groupId><artifactId>jetty-runner</artifactId><version>$jetty</version></artifactItem>
      </artifactItems>
    </configuration>
  </plugin></plugins></build>
</project>
POM
  mvn -q -B -C -Dstyle.color=never -Dmaven.repo.local="$1/maven" -f "$1/pom.xml" dependency:copy ||
    die "Maven could not fetch the artefacts"
  rm -rf "$1/maven"
  mkdir "$1/webapp"
  (cd "$1/webapp" && jar xf "$1/hudson-war.war")
  rm -rf "$1/hudson-war.war" "$1/webapp/WEB-INF/plugins" # every start would unpack the bundled plugins into the home
}

# Two of Hudson's classes are replaced; WEB-INF/classes comes before
# WEB-INF/lib. (1) It always opens a UDP socket on every interface (port 33848)
# to tell the network of itself, and no setting prevents it. (2) To kill a
# build's processes it looks for java.lang.UNIXProcess, which Java 9 removed:
# stopping a build would give FAILURE, not ABORTED, and leave its processes
# running.
patch_classes() { # folder
  mkdir -p "$1/patch" "$1/webapp/WEB-INF/classes"
  cat >"$1/patch/UDPBroadcastThread.java" <<'JAVA'
package hudson;
public class UDPBroadcastThread extends Thread {
    public static final int PORT = -1;
    public UDPBroadcastThread(hudson.model.Hudson hudson) { super("no UDP broadcast"); }
    @Override public void run() { }
    public void shutdown() { }
}
JAVA
  cat >"$1/patch/UnixReflection.java" <<'JAVA'
package hudson.util;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
final class ProcessTree$UnixReflection {
    private static final Field PID_FIELD;
    private static final Method DESTROY_PROCESS;
    static {
        try {
            PID_FIELD = Class.forName("java.lang.ProcessImpl").getDeclaredField("pid");
            PID_FIELD.setAccessible(true);
            DESTROY_PROCESS = ProcessTree$UnixReflection.class.getDeclaredMethod("destroy", int.class);
            DESTROY_PROCESS.setAccessible(true);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(e.toString(), e);
        }
    }
    static void destroy(int pid) { ProcessHandle.of(pid).ifPresent(ProcessHandle::destroy); }
    static Field access$300() { return PID_FIELD; }
    static Method access$400() { return DESTROY_PROCESS; }
}
JAVA
  javac -nowarn -Xlint:none --release 11 -proc:none -cp "$1/webapp/WEB-INF/lib/*" -d "$1/webapp/WEB-INF/classes" \
    "$1/patch/UDPBroadcastThread.java" "$1/patch/UnixReflection.java"
}

configure_jetty() { # folder
  # Jetty refuses a web.xml with form login unless it has a login service; and
  # the war's XStream takes only a JVM whose vendor it knows (a -D cannot set
  # that property: the JVM overwrites it).
  cat >"$1/jetty.xml" <<'XML'
<?xml version="1.0"?>
<!DOCTYPE Configure PUBLIC "-//Jetty//Configure//EN" "http://www.eclipse.org/jetty/configure_9_3.dtd">
<Configure id="Server" class="org.eclipse.jetty.server.Server">
  <Call class="java.lang.System" name="setProperty"><Arg>java.vm.vendor</Arg><Arg>Sun Microsystems Inc.</Arg></Call>
  <!-- or the process would live on for 30 s after /exit -->
  <Get name="threadPool"><Set name="stopTimeout">500</Set></Get>
  <Set name="stopTimeout">500</Set>
  <Call name="addBean"><Arg>
    <New class="org.eclipse.jetty.security.HashLoginService">
      <Set name="name">default</Set>
      <Set name="userStore"><New class="org.eclipse.jetty.security.UserStore"/></Set>
    </New>
  </Arg></Call>
</Configure>
XML
}

open_packages() { # folder
  # What Hudson's XStream, Groovy, Guice and remoting reach into.
  local package
  for package in java.lang java.lang.ref java.lang.reflect java.util java.util.jar java.util.regex java.util.zip \
    java.util.concurrent java.util.concurrent.atomic java.util.concurrent.locks java.io java.math java.net java.nio \
    java.nio.charset java.security java.text java.time sun.net.www.protocol.file sun.net.www.protocol.http \
    sun.net.www.protocol.jar sun.nio.ch sun.security.x509 sun.security.ssl; do
    printf -- '--add-opens\njava.base/%s=ALL-UNNAMED\n' "$package"
  done >"$1/java.args"
  printf -- '--add-opens\n%s=ALL-UNNAMED\n' java.logging/java.util.logging java.desktop/java.awt \
    java.desktop/java.awt.font java.desktop/javax.swing java.desktop/sun.awt >>"$1/java.args"
  printf -- '--add-exports\n%s=ALL-UNNAMED\n' java.base/sun.security.x509 java.base/sun.security.tools.keytool >>"$1/java.args"
}

server=$cache/$hudson-$(sha256sum "$script" | cut -c1-12)
if [ ! -d "$server" ]; then
  echo "hudson.sh: fetching Hudson $hudson, once, into $server"
  new=$server.new.$$
  trap 'rm -rf "$new"' EXIT
  mkdir "$new"
  fetch "$new"
  patch_classes "$new"
  configure_jetty "$new"
  open_packages "$new"
  # all or nothing, and safe when two of these run at once
  mv -T "$new" "$server" 2>/dev/null || rm -rf "$new"
  trap - EXIT
fi

[ -n "$port" ] || exit 0

# --- 2. the home folder ----------------------------------------------------
mkdir -p "$home"
home=$(cd "$home" && pwd)

add_user() { # name password, as HudsonPrivateSecurityRealm keeps it
  local salt=abcdef hash
  case $1 in '' | *[!A-Za-z0-9._-]*) die "not a user name this script takes: $1" ;; esac
  hash=$(printf '%s{%s}' "$2" "$salt" | sha256sum | cut -d' ' -f1)
  mkdir -p "$home/users/$1"
  cat >"$home/users/$1/config.xml" <<XML
<?xml version='1.0' encoding='UTF-8'?>
<user>
  <fullName>$1</fullName>
  <properties>
    <hudson.security.HudsonPrivateSecurityRealm_-Details>
      <passwordHash>$salt:$hash</passwordHash>
    </hudson.security.HudsonPrivateSecurityRealm_-Details>
  </properties>
</user>
XML
}

security() {
  if [ -z "${HUDSON_USER:-}" ]; then
    echo '  <useSecurity>false</useSecurity>'
    return
  fi
  add_user "$HUDSON_USER" "${HUDSON_PASSWORD:?HUDSON_USER without HUDSON_PASSWORD}"
  echo '  <useSecurity>true</useSecurity>'
  echo '  <authorizationStrategy class="hudson.security.GlobalMatrixAuthorizationStrategy">'
  echo "    <permission>hudson.model.Hudson.Administer:$HUDSON_USER</permission>"
  if [ -n "${HUDSON_READER:-}" ]; then
    add_user "$HUDSON_READER" "${HUDSON_READER_PASSWORD:?HUDSON_READER without HUDSON_READER_PASSWORD}"
    echo "    <permission>hudson.model.Hudson.Read:$HUDSON_READER</permission>"
    echo "    <permission>hudson.model.Item.Read:$HUDSON_READER</permission>"
  fi
  echo '  </authorizationStrategy>'
  echo '  <securityRealm class="hudson.security.HudsonPrivateSecurityRealm">'
  echo '    <disableSignup>true</disableSignup>'
  echo '  </securityRealm>'
}

if [ ! -e "$home/config.xml" ]; then
  {
    echo "<?xml version='1.0' encoding='UTF-8'?>"
    echo '<hudson>'
    echo '  <numExecutors>2</numExecutors>'
    echo '  <mode>NORMAL</mode>'
    security
    # -1: no agent port, which would be open on every interface
    echo '  <slaveAgentPort>-1</slaveAgentPort>'
    if [ "${HUDSON_CSRF:-0}" = 1 ]; then
      echo '  <crumbIssuer class="hudson.security.csrf.DefaultCrumbIssuer">'
      echo '    <excludeClientIPFromCrumb>false</excludeClientIPFromCrumb>'
      echo '  </crumbIssuer>'
    fi
    echo '</hudson>'
  } >"$home/config.xml.new"
  mv "$home/config.xml.new" "$home/config.xml"
fi

# --- 3. the server's process -----------------------------------------------
xml() { printf %s "$1" | sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g'; }
# The alias check is for /jnlpJars/hudson-cli.jar, where Hudson asks Jetty for
# "/WEB-INF//hudson-cli.jar".
cat >"$home/.context.xml" <<XML
<?xml version="1.0"?>
<!DOCTYPE Configure PUBLIC "-//Jetty//Configure//EN" "http://www.eclipse.org/jetty/configure_9_3.dtd">
<Configure class="org.eclipse.jetty.webapp.WebAppContext">
  <Set name="contextPath">/</Set>
  <Set name="war">$(xml "$server/webapp")</Set>
  <Call name="addAliasCheck"><Arg><New class="org.eclipse.jetty.server.handler.ContextHandler\$ApproveAliases"/></Arg></Call>
</Configure>
XML
mkdir -p "$home/.tmp"
unset HUDSON_USER HUDSON_PASSWORD HUDSON_READER HUDSON_READER_PASSWORD # builds would inherit them
export HUDSON_HOME=$home
exec java -Xmx384m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 \
  "@$server/java.args" \
  -Djava.awt.headless=true \
  -Djava.io.tmpdir="$home/.tmp" \
  -Dorg.eclipse.jetty.util.log.class=org.eclipse.jetty.util.log.StdErrLog \
  -DHUDSON_HOME="$home" \
  -DskipInitSetup=true \
  -Dhudson.DNSMultiCast.disabled=true \
  -Dhudson.model.UsageStatistics.disabled=true \
  -Dhudson.model.UpdateCenter.never=true \
  -jar "$server/jetty-runner.jar" \
  --config "$server/jetty.xml" --host 127.0.0.1 --port "$port" "$home/.context.xml"
