#!/bin/sh
# Runs the command line as the service's user, with the service's configuration. Run it as root. GATEHOUSE_RELEASE selects
# another release than the one in service.
set -eu
folder=/usr/lib/gatehouse
release=${GATEHOUSE_RELEASE:-$folder/current}
# Setup stays root, because it writes the configuration.
[ "${1-}" != setup ] || exec "$release/node" "$release/main.js" "$@"
umask 077
if [ "${1-}" = rollback ]; then
  # Root's command. The former release runs it, because the current one may be the problem.
  [ ! -e "$folder/previous" ] || release=$folder/previous
  exec flock -o "$folder" "$release/node" "$release/main.js" "$@"
fi
# systemd takes these characters as they are. The shell would replace or drop parts of the value.
name='^[A-Za-z_][A-Za-z0-9_]*='
special='[&;|<>()$`]'
line=$(grep -s -m 1 -E "$name([^\"'\\\\&;|<>()\$\`]|\\\\.)*$special|$name\"([^\"\\\\\$\`]|\\\\.)*[\$\`]" /etc/gatehouse/gatehouse.env || :)
if [ -n "$line" ]; then
  echo "error: The shell cannot read the value of ${line%%=*} in /etc/gatehouse/gatehouse.env. Put it in single quotes." >&2
  exit 3
fi
set -a
. /etc/gatehouse/gatehouse.env
# A secret is a file that only root can read, named after its key: smtp-url for SMTP_URL.
for file in /etc/gatehouse/*; do
  [ -f "$file" ] || continue
  name=$(basename "$file" | tr a-z- A-Z_)
  case $name in *[!A-Z_]*) continue ;; esac
  # The service refuses a secret that gatehouse.env contains, too; with both, so does the command.
  eval "[ -z \"\${$name-}\" ] || ${name}_FILE=\$file"
  # Editors of Windows end lines with a carriage return, which the service removes too.
  eval "$name=\$(tr -d '\\r' < \"\$file\")"
done
NODE_ENV=production
set +a
exec setpriv --reuid=gatehouse --regid=gatehouse --init-groups "$release/node" "$release/main.js" "$@"
