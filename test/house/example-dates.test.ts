// An example date in a schema, or in a sentence on what to write, is refused once its day has come if it must be in the future.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const DATE = /\b20(?:2[1-9]|[3-9]\d)-\d\d-\d\d/g
const COMMENT = /\/\*[\s\S]*?\*\/|(?:^|\s)\/\/.*$/gm

/** Times that are in the past for every reader, or that only the service writes, and how many. */
const NEVER_SENT: Record<string, number> = {
  'src/commands/metrics.ts': 2,
  'src/commands/webhooks.ts': 1,
  'src/mail/audience/segment-filters.ts': 1,
  'src/mail/automations/rule-trees.ts': 1,
  'src/mail/times/query-times.ts': 2,
  'src/routes/email-metrics.ts': 2,
  'src/routes/received-emails.ts': 1,
  'src/routes/usage.ts': 3,
  'src/routes/webhook-events.ts': 1,
  'src/routes/webhook-feed.ts': 1,
  'src/schemas/attachments.ts': 2,
  'src/schemas/common.ts': 2,
  'src/schemas/domain-claims.ts': 1,
  'src/schemas/email-metrics.ts': 4,
  'src/schemas/list-filters.ts': 2,
  'src/schemas/received-emails.ts': 2,
  'src/schemas/usage.ts': 1,
  'src/schemas/webhook-events.ts': 1,
  'src/schemas/webhook-payloads.ts': 2,
}

it('is nowhere in the sources but where it may lie in the past', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map((name) => `src/${name.replaceAll('\\', '/')}`)
    .filter((name) => name.endsWith('.ts') && !name.startsWith('src/generated/'))
  const found = files
    .map((file) => [file, readFileSync(file, 'utf8').replaceAll(COMMENT, '').match(DATE)?.length ?? 0] as const)
    .filter(([, dates]) => dates > 0)
  expect(files.length).toBeGreaterThan(200)
  expect(Object.fromEntries(found)).toEqual(NEVER_SENT)
})
