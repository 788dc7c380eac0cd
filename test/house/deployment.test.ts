// What stands in deploy/ names what the service has, and each alert is explained.
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
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
