#!/bin/sh
# Runs the command line as the service's user, with the service's configuration. Save as /usr/local/bin/gatehouse and run
# it as root.
set -eu
umask 077
set -a
. /etc/gatehouse/gatehouse.env
SECRET_KEYS=$(cat /etc/gatehouse/secret-keys)
NODE_ENV=production
set +a
exec setpriv --reuid=gatehouse --regid=gatehouse --init-groups /opt/gatehouse/build/main.js "$@"
