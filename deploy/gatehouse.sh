#!/bin/sh
# Runs the command line as the service's user, with the service's configuration. Save as /usr/local/bin/gatehouse and run
# it as root. Setup stays root, because it writes the configuration.
set -eu
[ "${1:-}" != setup ] || exec /opt/gatehouse/build/main.js "$@"
umask 077
set -a
. /etc/gatehouse/gatehouse.env
# A secret is a file that only root can read, named after its key: smtp-url for SMTP_URL.
for file in /etc/gatehouse/*; do
  name=$(basename "$file" | tr a-z- A-Z_)
  case $name in *[!A-Z_]*) ;; *) eval "$name=\$(cat \"\$file\")" ;; esac
done
NODE_ENV=production
set +a
exec setpriv --reuid=gatehouse --regid=gatehouse --init-groups /opt/gatehouse/build/main.js "$@"
