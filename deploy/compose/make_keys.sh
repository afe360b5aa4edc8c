#!/bin/sh
# Makes a key for each of these roles, unless that has been done, and puts its token into a file of that name.
#   make_keys.sh            as the first thing of a new installation
#   make_keys.sh cat FILE   any other command
set -eu
[ $# -eq 0 ] || exec "$@"
folder=${TOKENS:-/tokens}
umask 027
for role in admin worker; do
    [ -s "$folder/$role" ] && continue
    holdfast --json key create --role "$role" --name compose >"$folder/.$role"
    python -c 'import json, sys; print(json.load(sys.stdin)["token"])' <"$folder/.$role" >"$folder/.$role.token"
    rm "$folder/.$role"
    mv "$folder/.$role.token" "$folder/$role"
done
