// The console says in words what the API names: a new name needs words there.
import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { SCOPE_NAMES } from '../../src/modules/accounts/scopes.ts'
import { actOf } from '../../src/modules/audit/acts.ts'
import { shared, startTestService } from '../support/servers/service.ts'

type Words = Readonly<Record<string, string>>
const ofConsole = async <Exported>(path: string): Promise<Exported> => import(new URL(`../../console/src/${path}`, import.meta.url).href)
const { ACT_WORDS, RECORD_WORDS } = await ofConsole<Record<'ACT_WORDS' | 'RECORD_WORDS', Words>>('texts/audit-acts.ts')
const { SCOPE_WORDS, SECTION_WORDS } = await ofConsole<Record<'SCOPE_WORDS' | 'SECTION_WORDS', Words>>('texts/scopes.ts')
const { HEALTH_TEXTS } = await ofConsole<{ HEALTH_TEXTS: Record<'checks' | 'tables', Words> }>('texts/queue.ts')
const { scopeSentences } = await ofConsole<{ scopeSentences(scopes: readonly string[]): string[] }>('grants/scope-words.ts')

const service = shared(() => startTestService({ environment: { OPERATOR_KEY: 'the-key-of-the-operator-of-this-test' } }))

const NO_ONE = { kind: 'system', id: null, name: null, address: null, userAgent: null } as const

it('has words for each act of the audit log, and for the record that it changes', async () => {
  const { app, context } = service.service
  const operations = app?.operations.filter(({ audit }) => audit !== 'never') ?? []
  // Besides operations, what people do on pages.
  const documented = (await readFile('docs/audit.md', 'utf8')).matchAll(/`((?:console|start)\.[a-z.-]*[a-z])`/g)
  const ofPages = [...documented].map(([, name]) => name ?? '').filter((name) => name !== 'console.webhooks.settings')
  expect(ofPages.length).toBeGreaterThan(8)
  const named = [...operations.map(({ id }) => id), ...ofPages, 'audit-log.list']
  expect(Object.keys(ACT_WORDS).sort()).toEqual([...new Set(named)].sort())

  const records = operations.map(
    (operation) => actOf(operation, { teamId: null, actor: NO_ONE, params: {}, clock: context.clock }).target.type,
  )
  expect([...new Set(records)].filter((type) => type !== null && RECORD_WORDS[type] === undefined)).toEqual([])
})

it('has words for each scope', () => {
  const known = SCOPE_NAMES.filter((scope) => {
    const [section = ''] = scope.split(':')
    return SCOPE_WORDS[scope] !== undefined || SECTION_WORDS[section] !== undefined
  })
  expect(known).toEqual(SCOPE_NAMES)
  expect(scopeSentences(['emails:send', 'emails:read', 'contacts:read', 'contacts:write', 'topics:read', 'api-keys:write'])).toEqual([
    'Send emails and broadcasts',
    'Read and change contacts',
    'Change API keys',
    'Read emails and topics',
  ])
})

it('has words for each part of the installation, and each table that is kept by days', async () => {
  const { readiness, repositories } = service.service.context
  const { checks } = await readiness()
  expect(Object.keys(checks).filter((name) => HEALTH_TEXTS.checks[name] === undefined)).toEqual([])
  const tables = (await repositories.databaseFacts.partitions()).map(({ table }) => table)
  expect(tables.length).toBeGreaterThan(3)
  expect(tables.filter((table) => HEALTH_TEXTS.tables[table] === undefined)).toEqual([])
})
