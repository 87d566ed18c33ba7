#!/bin/sh
# What the tests need of the system: a Chromium, an ssh server, ip, and libgomp for
# the llama.cpp server. Installs Debian's packages where it may, says what is missing.
set -u

missing=""
command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 \
  || command -v google-chrome >/dev/null 2>&1 || missing="$missing chromium"
[ -x /usr/sbin/sshd ] || missing="$missing openssh-server"
command -v ssh >/dev/null 2>&1 || missing="$missing openssh-client"
{ command -v ip || [ -x /usr/sbin/ip ]; } >/dev/null 2>&1 || missing="$missing iproute2"
ldconfig -p 2>/dev/null | grep -q libgomp.so.1 || missing="$missing libgomp1"
[ -z "$missing" ] && exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
  echo "Installing for the tests:$missing"
  export DEBIAN_FRONTEND=noninteractive
  # shellcheck disable=SC2086
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing; } \
    >/dev/null 2>&1 && exit 0
fi
echo "NOT INSTALLED:$missing - the tests that need them will NOT run."
[ "${CI:-}" = true ] && exit 1
exit 0
