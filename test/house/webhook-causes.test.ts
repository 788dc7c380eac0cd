// The list of what each event means, compared with the sources that write them.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { WEBHOOK_EVENT_TYPES } from '../../src/lib/webhooks/event-types.ts'
import type { BounceSubType, BounceType } from '../../src/mail/bounces/bounce-reason.ts'
import { WEBHOOK_CAUSES } from '../../src/schemas/webhook-causes.ts'
import { WEBHOOK_DATA } from '../../src/schemas/webhook-payloads.ts'

const FLOORS = ['workers', 'repositories', 'services', 'routes']
/** Files that put a type together from the state of a recipient. */
const FROM_STATES: Record<string, string[]> = {
  'src/workers/engine/settlements.ts': ['email.failed', 'email.suppressed'],
  'src/workers/reports/conclusions.ts': ['email.bounced', 'email.complained'],
}

const COMMENT = /\/\*[\s\S]*?\*\/|(?:^|\s)\/\/.*$/gm
const sources = FLOORS.flatMap((floor) =>
  readdirSync(`src/${floor}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `src/${floor}/${name.replaceAll('\\', '/')}`),
).map((path) => ({ path, text: readFileSync(path, 'utf8').replaceAll(COMMENT, '') }))

/** The declarations of routes show examples, which follow the handlers. */
const writers = sources
  .map(({ path, text }) => ({ path, text: path.startsWith('src/routes/') ? (text.split('\n  return [')[0] ?? '') : text }))
  .filter(({ text }) => /notification/i.test(text))

it('names the files that write each type of event', () => {
  const found = WEBHOOK_EVENT_TYPES.map((type) => [
    type,
    writers
      .filter(({ path, text }) => text.includes(`'${type}'`) || FROM_STATES[path]?.includes(type))
      .map(({ path }) => path)
      .sort(),
  ])
  expect(Object.fromEntries(found)).toEqual(
    Object.fromEntries(Object.entries(WEBHOOK_CAUSES).map(([type, { writtenBy }]) => [type, writtenBy.toSorted()])),
  )
})

it('knows all files that put a type together', () => {
  expect(sources.filter(({ text }) => text.includes('`email.${')).map(({ path }) => path)).toEqual(Object.keys(FROM_STATES))
})

it('knows every kind of bounce', () => {
  const { type, subType } = WEBHOOK_DATA['email.bounced'].properties.bounce.properties
  const types: Record<BounceType, true> = { Permanent: true, Transient: true, Undetermined: true }
  const subTypes: Record<BounceSubType, true> = {
    ...{ General: true, NoEmail: true, MailboxFull: true, MessageTooLarge: true },
    ...{ ContentRejected: true, AttachmentRejected: true, Undetermined: true },
  }
  expect([type.enum, subType.enum]).toEqual([Object.keys(types), Object.keys(subTypes)])
})
