import { Resend } from 'resend'
import { beforeAll, describe, expect, it } from 'vitest'
import { WEBHOOKS_PER_TEAM_MAX } from '../../../src/modules/webhooks/webhooks.schema.ts'
import { createWebhook as createFor } from '../../../src/modules/webhooks/webhooks.service.ts'
import { invalid, missing, outcome, TIMESTAMP, UUID } from '../../support/builders/answers.ts'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

let resend: Resend

const service = shared(() => startTestService())
beforeAll(() => {
  resend = new Resend(service.token, { baseUrl: service.url })
})

const SECRET = expect.stringMatching(/^whsec_[A-Za-z0-9+/]{32}$/)
const endpoint = 'https://hooks.example.com/posthaste?team=1'

async function createWebhook(fields: Record<string, unknown> = {}): Promise<string> {
  const { body } = await service.call('POST', '/webhooks', { body: { endpoint, events: ['email.delivered'], ...fields } })
  return (body as { id: string }).id
}
const read = async (id: string) => (await service.call('GET', `/webhooks/${id}`)).body

const record = (id: string, changes: Record<string, unknown> = {}) => ({
  object: 'webhook',
  id,
  endpoint,
  events: ['email.delivered'],
  status: 'enabled',
  created_at: TIMESTAMP,
  signing_secret: SECRET,
  ordered: false,
  concurrency: 20,
  last_success_at: null,
  last_failure_at: null,
  failing_since: null,
  disabled_reason: null,
  ...changes,
})

describe('POST /webhooks', () => {
  it('creates a webhook and shows its secret, then and later', async () => {
    const { data, error } = await resend.webhooks.create({ endpoint, events: ['email.delivered', 'email.bounced'] })
    expect({ data, error }).toEqual({ data: { object: 'webhook', id: UUID, signing_secret: SECRET }, error: null })
    expect((await resend.webhooks.get(data?.id ?? '')).data).toEqual(
      record(data?.id ?? '', { events: ['email.delivered', 'email.bounced'], signing_secret: data?.signing_secret }),
    )
  })

  it('makes no more than the installation may have', async () => {
    const { context } = service.service
    await createWebhook()
    const [{ count } = { count: 0 }] = await service.database.execute<{ count: number }>('select count(*)::int as count from webhooks')
    const config = { ...context.config, webhooksMax: count }
    await expect(createFor({ ...context, config }, service.teamId, { endpoint, events: ['email.sent'] })).rejects.toThrow(
      `This installation can have at most ${count} webhooks. Ask its operator for more.`,
    )
  })

  it('takes a type once, however often it is named', async () => {
    const id = await createWebhook({ events: ['email.sent', 'email.sent', 'contact.created'] })
    expect(await read(id)).toEqual(record(id, { events: ['email.sent', 'contact.created'] }))
  })

  it('takes all the types that the official clients know', async () => {
    const events = [
      ...['email.sent', 'email.scheduled', 'email.delivered', 'email.delivery_delayed', 'email.complained', 'email.bounced'],
      ...['email.opened', 'email.clicked', 'email.received', 'email.failed', 'email.suppressed'],
      ...['contact.created', 'contact.updated', 'contact.deleted', 'domain.created', 'domain.updated', 'domain.deleted'],
    ]
    const id = await createWebhook({ events })
    expect(await read(id)).toEqual(record(id, { events }))
  })

  it('takes order and concurrency, and no endpoint', async () => {
    const id = await createWebhook({ endpoint: null, ordered: true, concurrency: 50 })
    expect(await read(id)).toEqual(record(id, { endpoint: null, ordered: true, concurrency: 50 }))
  })

  it.each<[string, Record<string, unknown>, string]>([
    ['no endpoint', { endpoint: undefined }, 'Missing `endpoint` field.'],
    ['no URL', { endpoint: 'hooks.example.com' }, 'The `endpoint` field must be a valid URL.'],
    [
      'another scheme',
      { endpoint: 'ftp://hooks.example.com' },
      expect.stringMatching(/^The `endpoint` field must be an `https` URL\. .*`posthaste webhooks listen`/),
    ],
    ['credentials', { endpoint: 'https://a:b@hooks.example.com' }, 'The `endpoint` field must be a URL without user and password.'],
    ['a fragment', { endpoint: 'https://hooks.example.com/#a' }, 'The `endpoint` field must be a URL without a fragment.'],
    [
      'the port of a mail server',
      { endpoint: 'https://hooks.example.com:25' },
      'The `endpoint` field must be a URL of a web server; port 25 belongs to another protocol.',
    ],
    [
      '2,001 characters',
      { endpoint: `https://hooks.example.com/${'x'.repeat(1_975)}` },
      'The `endpoint` field must have at most 2000 characters.',
    ],
    ['an empty user', { endpoint: 'https://@hooks.example.com' }, 'The `endpoint` field must be a URL without user and password.'],
    [
      'a label of 64 characters',
      { endpoint: `https://${'x'.repeat(64)}.example.com` },
      'The `endpoint` field must be a URL with a valid host and port.',
    ],
    [
      'an unknown type of event',
      { events: ['email.eaten'] },
      expect.stringMatching(
        /^The `events\[0\]` field must be one of: `email\.scheduled`, .*, `email\.received`, .*, `suppression\.removed`, `audit\.recorded`\. It is "email\.eaten"\.$/,
      ),
    ],
    ['no events', { events: [] }, 'The `events` field must not be empty.'],
    ['too many requests at once', { concurrency: 51 }, 'The `concurrency` field must be a number from 1 to 50. It is 51.'],
  ])('refuses %s', async (_what, fields, message) => {
    const answer = await service.call('POST', '/webhooks', { body: { endpoint, events: ['email.sent'], ...fields } })
    expect(outcome(answer)).toEqual(invalid(message))
  })

  it('takes an international host', async () => {
    const id = await createWebhook({ endpoint: 'https://bücher.example/hook' })
    expect(await read(id)).toEqual(record(id, { endpoint: 'https://bücher.example/hook' }))
  })

  it(`refuses more than ${WEBHOOKS_PER_TEAM_MAX} of a team`, async () => {
    const { data } = (await service.call('GET', '/webhooks')).body as { data: object[] }
    for (let left = WEBHOOKS_PER_TEAM_MAX - data.length; left > 0; left -= 1) await createWebhook()
    const answer = await service.call('POST', '/webhooks', { body: { endpoint, events: ['email.sent'] } })
    expect(outcome(answer)).toEqual(invalid('A team can have at most 50 webhooks. Delete one first.'))
    const left = (await resend.webhooks.list()).data?.data ?? []
    for (const { id } of left.slice(0, 20))
      expect((await resend.webhooks.remove(id)).data).toEqual({ object: 'webhook', id, deleted: true })
  })
})

describe('PATCH /webhooks/:webhook_id', () => {
  it('changes what is given', async () => {
    const id = await createWebhook()
    const { data } = await resend.webhooks.update(id, {
      endpoint: 'https://other.example.com',
      events: ['email.bounced'],
      status: 'disabled',
    })
    expect(data).toEqual({ object: 'webhook', id })
    expect(await read(id)).toEqual(record(id, { endpoint: 'https://other.example.com', events: ['email.bounced'], status: 'disabled' }))
  })

  it('forgets how it failed once it is enabled again', async () => {
    const id = await createWebhook()
    await service.database.execute(
      `update webhooks set status = 'disabled', failing_since = created_at, disabled_reason = 'Every attempt has failed for 5 days.' where id = $1`,
      [id],
    )
    await resend.webhooks.update(id, { status: 'enabled' })
    expect(await read(id)).toEqual(record(id))
  })

  it('replaces an endpoint, and removes none', async () => {
    const id = await createWebhook()
    expect(outcome(await service.call('PATCH', `/webhooks/${id}`, { body: { endpoint: null } }))).toEqual(
      invalid('The `endpoint` field must be a string. An endpoint can be replaced, but not removed. Leave it out to keep what is there.'),
    )
  })

  it('answers 404 for one that is not there', async () => {
    expect(outcome(await service.call('PATCH', `/webhooks/${UNKNOWN_ID}`, { body: {} }))).toEqual(missing('Webhook'))
  })
})

describe('a new secret', () => {
  it('replaces the one before, and none that has just replaced another', async () => {
    const id = await createWebhook()
    const { data } = await resend.webhooks.rotateSigningSecret(id)
    expect(data).toEqual({ object: 'webhook', id, signing_secret: SECRET })
    expect(outcome(await service.call('POST', `/webhooks/${id}/signing-secret/rotate`))).toEqual(
      invalid(
        expect.stringMatching(
          /^The secret of this webhook was rotated less than 24 hours ago, and the secret before it signs until \d{4}-.+Z\. Rotate it again after that, or create a new webhook\.$/,
        ),
      ),
    )
    expect(await read(id)).toEqual(record(id, { signing_secret: data?.signing_secret }))
  })
})
