#!/bin/sh
# /etc/cron.daily/posthaste: a backup into a folder of its own. Those of before are removed when this one is whole, after a week. See docs/deploy.md.
set -eu
posthaste="${POSTHASTE:-/usr/local/bin/posthaste}"
backups="${BACKUPS:-/var/backups/posthaste}"

# One that was killed days ago is no backup, and takes the room that the next one needs.
[ ! -d "$backups" ] || find "$backups" -mindepth 1 -maxdepth 1 -type d -name '20*.unfinished' -mtime +2 -exec rm -r {} +
# What it says, cron mails to root; the status is kept, unlike that of a pipe.
"$posthaste" backup "$backups/$(date +%F-%H%M%S)"
find "$backups" -mindepth 1 -maxdepth 1 -type d -name '20*' -mtime +7 -exec rm -r {} +
