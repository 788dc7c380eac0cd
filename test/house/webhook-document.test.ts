// docs/webhooks.md agrees with the sources.
import { readFileSync } from 'node:fs'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { expect, it, vi } from 'vitest'
import { WEBHOOK_CAUSES } from '../../src/modules/webhooks/payloads/webhook-causes.ts'
import { EXAMPLE_TIME_ISO } from '../../src/modules/webhooks/payloads/webhook-payloads.schema.ts'
import { RETRY_WAITS_MS } from '../../src/modules/webhooks/sending/retry-schedule.ts'
import { EXAMPLE_SECRET } from '../../src/modules/webhooks/webhooks.schema.ts'
import { documentedWebhooks } from '../../src/plugins/openapi/openapi-webhooks.ts'

const text = readFileSync('docs/webhooks.md', 'utf8')
const rowsOf = (heading: string): string[][] => {
  const table = text.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  return [...table.matchAll(/^\| (.*) \|$/gm)].slice(2).map(([, cells = '']) => cells.split(' | ').map((cell) => cell.trim()))
}

it('has every wait between attempts', () => {
  const units: Record<string, number> = { seconds: 1_000, minutes: 60_000, hours: 3_600_000 }
  const waits = rowsOf('Answer').map(([attempt, wait = '']) => {
    const [amount, unit = ''] = wait.split(' ')
    return [Number(attempt), wait === 'at once' ? 0 : Number(amount) * (units[unit] ?? Number.NaN)]
  })
  expect(waits).toEqual([0, ...RETRY_WAITS_MS].map((ms, index) => [index + 1, ms]))
})

it('says of every event when it happens', () => {
  const said = rowsOf('What each event means').map(([type, happens]) => [type?.replaceAll('`', ''), happens])
  expect(said).toEqual(Object.entries(WEBHOOK_CAUSES).map(([type, happens]) => [type, happens]))
})

function verifyAtItsTime(body: string, headers: Record<string, string>): void {
  const time = vi.spyOn(Date, 'now').mockReturnValue(Date.parse(EXAMPLE_TIME_ISO))
  try {
    new StandardWebhook(EXAMPLE_SECRET).verify(body, headers)
  } finally {
    time.mockRestore()
  }
}

it('shows a request whose signature is right', () => {
  expect(text).toContain(`\`${EXAMPLE_SECRET}\``)
  const [, block = ''] = /```http\nPOST \/hook\n(.*?)\n```/s.exec(text) ?? []
  const [head = '', body = ''] = block.split('\n\n')
  const headers = Object.fromEntries(head.split('\n').map((line) => line.split(': ').map((part) => part.replace('svix-', 'webhook-'))))
  verifyAtItsTime(body, headers)
})

type Documented = {
  post: {
    parameters: { name: string; example: string }[]
    requestBody: { content: { 'application/json': { example: { created_at: string } } } }
  }
}

it.each(Object.entries(documentedWebhooks() as Record<string, Documented>))(
  'has an example of %s whose signature is right',
  (_type, { post }) => {
    const headers = Object.fromEntries(post.parameters.map(({ name, example }) => [name, example]))
    expect(Object.keys(headers)).toEqual([
      ...['svix-id', 'svix-timestamp', 'svix-signature'],
      ...['webhook-id', 'webhook-timestamp', 'webhook-signature'],
    ])
    verifyAtItsTime(JSON.stringify(post.requestBody.content['application/json'].example), headers)
  },
)
