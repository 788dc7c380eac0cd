import { expect, it } from 'vitest'
import { resemblingNames } from '../../src/config/config.ts'
import { Environment } from '../../src/config/environment.ts'

const KNOWN = Object.keys(Environment.properties)

it.each([
  ['SMPT_RELAY_URL', 'SMTP_RELAY_URL'],
  ['SMTP_RELAY_URI', 'SMTP_RELAY_URL'],
  ['smtp_relay_url', 'SMTP_RELAY_URL'],
  ['DATABSE_URL', 'DATABASE_URL'],
  ['DATABASEURL', 'DATABASE_URL'],
  ['DATADIR', 'DATA_DIR'],
  ['LOGLEVEL', 'LOG_LEVEL'],
  ['DNS_SERVER', 'DNS_SERVERS'],
  ['DELIVRY', 'DELIVERY'],
  ['PORTS', 'PORT'],
  ['HOSTS', 'HOST'],
])('takes %s for %s', (name, meant) => {
  expect(resemblingNames([name], KNOWN)).toEqual([{ name, meant }])
})

it('leaves the variables of others alone', () => {
  const others =
    'PATH HOME PWD OLDPWD USER LOGNAME SHELL SHLVL TERM LANG LC_ALL TZ EDITOR PAGER MAIL DISPLAY HOSTNAME HOSTTYPE OSTYPE TMPDIR TEMP TMP ' +
    'COLUMNS LINES DEBUG CI NODE_ENV NODE_OPTIONS NODE_PATH NO_COLOR FORCE_COLOR HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy no_proxy ' +
    'SSH_AUTH_SOCK SSH_TTY XDG_DATA_DIRS XDG_DATA_HOME XDG_RUNTIME_DIR DBUS_SESSION_BUS_ADDRESS INIT_CWD npm_config_loglevel npm_package_name ' +
    'PGHOST PGPORT PGUSER PGDATABASE AWS_SECRET_KEY AWS_SECRET_ACCESS_KEY SECRET_KEY_BASE DOCKER_HOST KUBERNETES_PORT POSTHASTE_PORT ' +
    'POSTHASTE_SERVICE_HOST CHROMIUM VITEST RELAY_URL SMTP_HOST SMTP_PORT SMTP_USER SMTP_PASS MAIL_HOST BASE_URL APP_URL REDIS_URL _'
  expect(resemblingNames(others.split(' '), KNOWN)).toEqual([])
})

it('asks nothing when the name that was meant is there as well', () => {
  expect(resemblingNames(['LOG_LEVEL', 'LOGLEVEL'], KNOWN)).toEqual([])
})

it('names each in order', () => {
  expect(resemblingNames(['SMPT_RELAY_URL', 'PATH', 'DATADIR'], KNOWN)).toEqual([
    { name: 'DATADIR', meant: 'DATA_DIR' },
    { name: 'SMPT_RELAY_URL', meant: 'SMTP_RELAY_URL' },
  ])
})
