// What stands in deploy/ names what the service has, and each alert is explained.
import { spawnSync } from 'node:child_process'
import { access, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { Environment } from '../../src/config/environment.ts'
import { secretFileNames } from '../../src/config/secret-files.ts'
import { createMetrics } from '../../src/io/metrics.ts'

const read = (name: string): Promise<string> => readFile(name, 'utf8')
const SERIES = /\bposthaste_[a-z_]+/g

const known = (await createMetrics().registry.getMetricsAsJSON()).map(({ name }) => name)
const alerts = await read('deploy/alerts.yml')

describe.each(['deploy/alerts.yml', 'deploy/dashboard.json', 'docs/runbook.md'])('%s', (file) => {
  it('asks only for series that the service has', async () => {
    const named = new Set(((await read(file)).match(SERIES) ?? []).map((name) => name.replace(/_bucket$/, '')))
    expect(named.size).toBeGreaterThan(0)
    expect([...named].filter((name) => !known.includes(name))).toEqual([])
  })
})

it('every alert has a section of the runbook, and every section an alert', async () => {
  const names = [...alerts.matchAll(/- alert: (\w+)/g)].map(([, name]) => name)
  const sections = [...(await read('docs/runbook.md')).matchAll(/^## (\w+)$/gm)].map(([, name]) => name)
  expect(sections).toEqual(names)
  expect([...alerts.matchAll(/runbook: docs\/runbook\.md#(\w+)/g)].map(([, anchor]) => anchor)).toEqual(
    names.map((name) => name?.toLowerCase()),
  )
})

/** What PostgreSQL gives by default: 100, without the 3 of the superuser. */
const CONNECTIONS = 97
/** A process that starts needs so many more for a moment. */
const CONNECTIONS_AT_START = 4

it('the processes of the chart have enough connections while each deployment starts one more, and those of compose too', async () => {
  const { roles } = parse(await read('deploy/helm/values.yaml')) as {
    roles: Record<string, { replicas: number; environment: { DATABASE_CONNECTIONS: string } }>
  }
  const ofChart = Object.values(roles).map(
    ({ replicas, environment }) => (replicas + 1) * Number(environment.DATABASE_CONNECTIONS) + CONNECTIONS_AT_START,
  )
  expect(ofChart.reduce((sum, each) => sum + each)).toBeLessThanOrEqual(CONNECTIONS)
  const { services } = parse(await read('deploy/compose.yaml'), { merge: true }) as { services: Record<string, { image: string }> }
  const processes = Object.values(services).filter(({ image }) => image === 'posthaste').length
  expect(processes * (Environment.properties.DATABASE_CONNECTIONS.default + CONNECTIONS_AT_START)).toBeLessThanOrEqual(CONNECTIONS)
  expect(processes).toBe(2)
})

it('the unit of systemd starts what is there', async () => {
  const unit = await read('deploy/posthaste.service')
  expect(unit).toContain('ExecStart=/opt/posthaste/node_modules/.bin/node /opt/posthaste/posthaste.js start')
  // Otherwise the end of the service would take the shared memory from a PostgreSQL that a command of the same user runs.
  expect(unit).toContain('\nRemoveIPC=no\n')
  await expect(read('posthaste.js')).resolves.toContain('#!/usr/bin/env node')
  await expect(read('node_modules/.bin/node')).resolves.toBeDefined()
})

describe('the nightly backup', () => {
  /** It may be that of a backup that runs. */
  const RUNNING = ['2026-01-03-030000.unfinished']

  async function night(status: number) {
    const folder = await mkdtemp(join(tmpdir(), 'posthaste-test-nightly-'))
    try {
      const old = join(folder, '2026-01-01-030000')
      await mkdir(old)
      await utimes(old, new Date(0), new Date(0))
      const killed = join(folder, '2026-01-02-030000.unfinished')
      await mkdir(killed)
      await utimes(killed, new Date(0), new Date(0))
      await mkdir(join(folder, '2026-01-03-030000.unfinished'))
      const posthaste = join(folder, 'posthaste')
      await writeFile(posthaste, `#!/bin/sh\necho "$1 said"\n[ ${status} = 0 ] && mkdir "$2"\nexit ${status}\n`, { mode: 0o755 })
      const ended = spawnSync('sh', ['deploy/backup.sh'], {
        env: { ...process.env, POSTHASTE: posthaste, BACKUPS: folder },
        encoding: 'utf8',
      })
      const left = (await readdir(folder)).filter((name) => name !== 'posthaste')
      return {
        status: ended.status,
        out: ended.stdout,
        isOldKept: left.includes('2026-01-01-030000'),
        unfinished: left.filter((name) => name.endsWith('.unfinished')),
        count: left.length,
      }
    } finally {
      await rm(folder, { recursive: true })
    }
  }

  it('removes old ones once a new one is whole', async () => {
    expect(await night(0)).toEqual({ status: 0, out: 'backup said\n', isOldKept: false, unfinished: RUNNING, count: 2 })
  })

  it('keeps them if it fails, and says so, but not what was killed days ago', async () => {
    expect(await night(1)).toEqual({ status: 1, out: 'backup said\n', isOldKept: true, unfinished: RUNNING, count: 2 })
  })
})

describe('the chart for Kubernetes', async () => {
  const deployments = await read('deploy/helm/templates/deployments.yaml')
  const values = parse(await read('deploy/helm/values.yaml')) as {
    environment: Record<string, string>
    roles: Record<string, unknown>
    secrets: string[]
    secretsAsVariables: boolean
  }

  it('sets only what the service knows', async () => {
    const named = [
      ...Object.keys(values.environment),
      ...[...deployments.matchAll(/\{ name: ([A-Z_]+), value/g)].map(([, name]) => name ?? ''),
    ]
    expect(named).toContain('ROLES')
    expect(named.filter((name) => !Object.hasOwn(Environment.properties, name))).toEqual([])
    expect(Object.keys(values.roles)).toEqual(['api', 'worker', 'inbound'])
  })

  it('mounts secrets as files that only the service reads, and gives no value of one as a variable unless it is told to', () => {
    expect(values.secretsAsVariables).toBe(false)
    expect(values.secrets).toContain('SECRET_KEY')
    expect(values.secrets.filter((name) => !secretFileNames.includes(`${name}_FILE`))).toEqual([])
    expect(Object.keys(values.environment).filter((name) => secretFileNames.includes(`${name}_FILE`))).toEqual([])
    const [, place] = deployments.match(/- \{ name: secrets, mountPath: (\S+), readOnly: true \}/) ?? []
    expect(deployments).toContain(`- { name: {{ . }}_FILE, value: ${place}/{{ . }} }\n`)
    expect(deployments).toContain('- { key: {{ . }}, path: {{ . }} }\n')
    expect(deployments).toContain('defaultMode: 0400\n')
    expect(deployments).toMatch(/\{\{- if \$\.Values\.secretsAsVariables \}\}\n +envFrom:\n.*\n +\{\{- end \}\}/)
  })

  it('asks for the ports of the image, and for paths that the service answers', async () => {
    const dockerfile = await read('Dockerfile')
    const ports = [...deployments.matchAll(/containerPort: (\d+)/g)].map(([, port]) => port)
    expect(ports).toEqual(['3000', '5870', '3001', '2525'])
    expect(dockerfile).toContain('EXPOSE 3000 2525 5870')
    expect(dockerfile).toContain('HEALTH_PORT=3001')
    const routes = await read('src/modules/deliverability/health.routes.ts')
    const paths = [...deployments.matchAll(/path: (\/\S+),/g)].map(([, path]) => path ?? '')
    expect(paths).toHaveLength(3)
    for (const path of paths) expect(routes).toContain(`'${path}'`)
  })

  it('gives what it monitors the name of the job that the alerts ask for', async () => {
    const monitors = await read('deploy/helm/templates/monitors.yaml')
    expect(monitors.match(/^ {2}jobLabel: app\.kubernetes\.io\/name$/gm)).toHaveLength(2)
    const [, job] = alerts.match(/up\{job="(\w+)"\} == 0/) ?? []
    expect(await read('deploy/helm/templates/_names.tpl')).toContain(`app.kubernetes.io/name: ${job}\n`)
  })

  it('is of the version of the project', async () => {
    const { version } = JSON.parse(await read('package.json')) as { version: string }
    expect(parse(await read('deploy/helm/Chart.yaml'))).toMatchObject({ version, appVersion: version })
  })
})

describe('what containers are made of', () => {
  it('sets only what the service knows', async () => {
    const dockerfile = await read('Dockerfile')
    const { services } = parse(await read('deploy/compose.yaml'), { merge: true }) as {
      services: Record<string, { environment: Record<string, string>; image: string }>
    }
    const own = Object.values(services).filter(({ image }) => image === 'posthaste')
    expect(own).toHaveLength(2)
    const named = [
      ...(dockerfile.match(/^ENV (.*)$/m)?.[1] ?? '').split(' ').map((pair) => pair.split('=')[0] ?? ''),
      ...own.flatMap(({ environment }) => Object.keys(environment)),
    ].filter((name) => name !== 'NODE_ENV')
    expect(named).toContain('DATABASE_URL')
    expect(named.filter((name) => !Object.hasOwn(Environment.properties, name))).toEqual([])
  })

  it('keeps a bounded log of each container', async () => {
    const { services } = parse(await read('deploy/compose.yaml'), { merge: true }) as {
      services: Record<string, { logging?: { driver: string; options: Record<string, string> } }>
    }
    expect(Object.keys(services)).toHaveLength(4)
    for (const [name, { logging }] of Object.entries(services)) {
      expect(logging, name).toEqual({ driver: 'json-file', options: { 'max-size': '10m', 'max-file': '5' } })
    }
  })

  it('asks for each variable that its example names, and for no other', async () => {
    const asked = new Set([...(await read('deploy/compose.yaml')).matchAll(/\$\{(\w+):\?\}/g)].map(([, name]) => name))
    const named = [...(await read('deploy/.env.compose.example')).matchAll(/^(\w+)=/gm)].map(([, name]) => name)
    expect([...asked].sort()).toEqual(named.sort())
  })

  it('copies into the build what its ignored files let through', async () => {
    const kept = [...(await read('.dockerignore')).matchAll(/^!(.+)$/gm)].map(([, name]) => name ?? '')
    for (const name of kept) await expect(access(name), name).resolves.toBeUndefined()
  })
})
