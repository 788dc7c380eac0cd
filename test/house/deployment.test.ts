// What stands in deploy/ names what the service has, and each alert is explained.
import { access, readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { Environment } from '../../src/environment.ts'
import { createMetrics } from '../../src/lib/metrics.ts'

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

it('the unit of systemd starts what is there', async () => {
  const unit = await read('deploy/posthaste.service')
  expect(unit).toContain('ExecStart=/opt/posthaste/node_modules/.bin/node /opt/posthaste/posthaste.js start')
  await expect(read('posthaste.js')).resolves.toContain('#!/usr/bin/env node')
  await expect(read('node_modules/.bin/node')).resolves.toBeDefined()
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
