import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Graph, Step } from '../../../../src/modules/automations/graph/graph.ts'
import { TIMESTAMP, UUID } from '../../../support/builders/answers.ts'
import { addAutomation, createRunner, graphOf, mailsTo, runsOf, sendEvent } from '../../../support/builders/automations.ts'
import { createContact } from '../../../support/builders/contacts.ts'
import { publishedTemplate } from '../../../support/builders/templates.ts'
import { createShiftingClock } from '../../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const HOUR_MS = 3_600_000
const clock = createShiftingClock()
let template: string

const service = shared(() => startTestService({ clock }))
beforeAll(async () => {
  template = await publishedTemplate(service)
})

const mail = (key = 'mail', config: object = {}): Step => ({ key, type: 'send_email', config: { template: { id: template }, ...config } })
const pause = (key = 'pause'): Step => ({ key, type: 'delay', config: { duration: '1 hour' } })
const paid: Step = { key: 'paid', type: 'wait_for_event', config: { event_name: 'paid', timeout: '1 day' } }

const simulate = (id: string, body: object) => service.call('POST', `/automations/${id}/simulate`, { body })

describe('a simulation', () => {
  it('shows the path, the times and the emails, and does nothing', async () => {
    const id = await addAutomation(service, graphOf([pause(), paid, mail('mail', { subject: 'Hello {{{contact.first_name|you}}}' })]), {
      status: 'disabled',
    })
    const { status, body } = await simulate(id, { email: 'new@example.org', events: [{ event: 'paid', after: '3 hours' }] })
    expect(status).toBe(200)
    const times = { started_at: TIMESTAMP, completed_at: TIMESTAMP, waits_until: null, error: null }
    expect(body).toEqual({
      object: 'automation_simulation',
      automation_id: id,
      status: 'completed',
      reason: null,
      steps: [
        { key: 'start', type: 'trigger', status: 'completed', ...times, output: { event: 'signed.up', event_id: UUID } },
        { key: 'pause', type: 'delay', status: 'completed', ...times, waits_until: TIMESTAMP, output: {} },
        {
          key: 'paid',
          type: 'wait_for_event',
          status: 'completed',
          ...times,
          waits_until: TIMESTAMP,
          output: { timed_out: false, event: 'paid', event_id: UUID },
        },
        {
          key: 'mail',
          type: 'send_email',
          status: 'completed',
          ...times,
          output: { to: ['new@example.org'], email_id: null, template: { id: template, variables: {} } },
        },
      ],
      emails: [
        {
          step: 'mail',
          sent_at: TIMESTAMP,
          to: 'new@example.org',
          from: 'Acme <hello@example.com>',
          reply_to: [],
          subject: 'Hello you',
          html: '<p>Thank you for your order.</p>',
          text: null,
        },
      ],
    })
    expect(await mailsTo(service, 'new@example.org')).toEqual([])
    expect((await service.call('GET', '/contacts/new@example.org')).status).toBe(404)
    expect(await runsOf(service, id)).toEqual([])
  })

  it('is of steps that are not saved yet, which are checked like those that are', async () => {
    const id = await addAutomation(service, graphOf([pause()]))
    const { steps, connections } = graphOf([mail('new mail')])
    const { status, body } = await simulate(id, { email: 'new@example.org', steps, connections })
    expect({ status, body }).toMatchObject({ status: 200, body: { status: 'completed', emails: [{ step: 'new mail' }] } })
    const refused = async (given: object) => {
      const { body: said } = await simulate(id, { email: 'new@example.org', ...given })
      return (said as { message: string }).message
    }
    expect(await refused({ steps })).toBe('Missing `connections` field: change `steps` and `connections` together.')
    expect(await refused({ steps, connections: [] })).toMatch(/^Step "new mail": no connection leads to it/)
    expect((await service.call('GET', `/automations/${id}`)).body).toMatchObject(graphOf([pause()]))
  })

  it('continues waiting for an event that does not come', async () => {
    const id = await addAutomation(service, graphOf([{ ...paid, config: { event_name: 'paid' } }]))
    const { body } = await simulate(id, { email: 'new@example.org', events: [{ event: 'other', after: '1 hour' }] })
    expect(body).toMatchObject({
      status: 'running',
      steps: [{ key: 'start' }, { key: 'paid', status: 'waiting', completed_at: null }],
      emails: [],
    })
  })

  it('sees what its steps change of the contact, and leaves the contact as it is', async () => {
    const id = await createContact(service, { email: 'bob@example.org', first_name: 'Bob' })
    const update: Step = { key: 'change', type: 'contact_update', config: { first_name: { var: 'event.name' }, unsubscribed: true } }
    const look: Step = {
      key: 'look',
      type: 'condition',
      config: { type: 'rule', field: 'contact.first_name', operator: 'eq', value: 'Rob' },
    }
    const automation = await addAutomation(service, graphOf([update, look, mail()]))
    const { body } = await simulate(automation, { contact_id: id, payload: { name: 'Rob' } })
    expect(body).toMatchObject({
      status: 'completed',
      steps: [
        {},
        {},
        { output: { met: true } },
        { status: 'skipped', output: { why: 'The contact has unsubscribed from all bulk email.' } },
      ],
      emails: [],
    })
    expect((await service.call('GET', '/contacts/bob@example.org')).body).toMatchObject({ first_name: 'Bob', unsubscribed: false })
  })

  it('knows that an address without a contact has opted out, as a run would', async () => {
    const email = 'gone@example.org'
    await createContact(service, { email, unsubscribed: true })
    await service.call('DELETE', `/contacts/${email}`)
    const look: Step = {
      key: 'look',
      type: 'condition',
      config: { type: 'rule', field: 'contact.unsubscribed', operator: 'eq', value: true },
    }
    const automation = await addAutomation(service, graphOf([look]))
    expect((await simulate(automation, { email })).body).toMatchObject({ steps: [{}, { output: { met: true } }] })
    expect((await simulate(automation, { email: 'new@example.org' })).body).toMatchObject({ steps: [{}, { output: { met: false } }] })
  })

  it('takes steps by their keys alone, whatever these are called', async () => {
    const never: Step = { key: 'constructor', type: 'condition', config: { type: 'rule', field: 'event.plan', operator: 'exists' } }
    const graph = graphOf([never, mail('toString'), mail('__proto__')])
    const path = async (payload: object) => {
      const { status, body } = await simulate(await addAutomation(service, graph), { email: 'new@example.org', payload })
      const { steps } = body as { steps: { key: string; status: string; error: string | null }[] }
      return [status, ...steps.map((step) => `${step.key} ${step.status} ${step.error}`)]
    }
    const before = [200, 'start completed null', 'constructor completed null']
    expect(await path({})).toEqual(before)
    expect(await path({ plan: 'pro' })).toEqual([...before, 'toString completed null', '__proto__ completed null'])
  })

  it.each([
    [{}, 'Give either `contact_id` or `email`.'],
    [{ email: 'a@example.org', contact_id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c76' }, 'Give either `contact_id` or `email`.'],
    [{ email: 'a'.repeat(999) }, 'The `email` field must have at most 998 characters.'],
    [
      { email: 'a@example.org', payload: { order: 2 ** 53 } },
      'The `payload.order` field holds a number beyond 2^53, which would be rounded. Send it as a string.',
    ],
    [{ contact_id: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c76' }, 'The `contact_id` field is not the id of one of your contacts.'],
    [
      { email: 'a@example.org', events: [{ event: 'paid', after: 'soon' }] },
      'The `events[0].after` field must be a duration of up to 365 days, such as `2 hours`.',
    ],
    [
      { email: 'a@example.org', events: [{ event: 'paid', after: '366 days' }] },
      'The `events[0].after` field must be a duration of up to 365 days, such as `2 hours`.',
    ],
  ])('refuses %j', async (body, message) => {
    const id = await addAutomation(service, graphOf([mail()]))
    expect(await simulate(id, body)).toMatchObject({ status: 422, body: { name: 'validation_error', message } })
  })
})

describe('what a simulation may hold', () => {
  const SIZE = 990_000
  it('is as much as one email may have, for all emails together', async () => {
    const large = await publishedTemplate(service, { html: `<p>${'x'.repeat(SIZE)}</p>` })
    const mails = (count: number) => Array.from({ length: count }, (_, index) => mail(`mail${index}`, { template: { id: large } }))
    const many = await addAutomation(service, graphOf(mails(43)))
    const { status, body } = await simulate(many, { email: 'new@example.org' })
    expect({ status, body }).toMatchObject({
      status: 422,
      body: {
        name: 'validation_error',
        message:
          'The emails of this simulation have more than 40 million characters together. Send shorter payloads, or simulate an automation with fewer emails.',
      },
    })
  })

  it('is a contact that could be stored', async () => {
    await service.call('POST', '/contact-properties', { body: { key: 'note', type: 'string' } })
    const failed = async (config: object) => {
      const update = { key: 'change', type: 'contact_update', config } as Step
      const id = await addAutomation(service, graphOf([update]))
      return (await simulate(id, { email: 'new@example.org', payload: { name: 'x'.repeat(257), note: 'x'.repeat(1_001) } })).body
    }
    expect([
      await failed({ first_name: { var: 'event.name' } }),
      await failed({ properties: { note: { var: 'event.note' } } }),
    ]).toMatchObject([
      { status: 'failed', reason: 'Step `change`: The `first_name` field must be a text of at most 256 characters.' },
      { status: 'failed', reason: 'Step `change`: The `properties.note` field must have at most 1000 characters.' },
    ])
  })

  it('is a payload that could be sent', async () => {
    await service.call('POST', '/events', { body: { name: 'plan.chosen', schema: { seats: 'number' } } })
    const id = await addAutomation(service, graphOf([mail()], 'plan.chosen'))
    const email = 'new@example.org'
    expect(await simulate(id, { email, payload: { seats: 'two' } })).toMatchObject({
      status: 422,
      body: { message: 'The `payload.seats` field must be a number: the schema of `plan.chosen` says so.' },
    })
    const events = [{ event: 'paid', after: '1 hour', payload: { note: 'x'.repeat(64 * 1024) } }]
    expect(await simulate(id, { email, events })).toMatchObject({
      status: 413,
      body: { message: 'The `events[0].payload` field must have at most 64 KB as JSON.' },
    })
  })
})

describe('what is simulated and what runs', () => {
  const kinds = ['mail', 'delay', 'wait', 'condition', 'update', 'segment'] as const
  let segmentId: string
  let numbers = 0
  beforeAll(async () => {
    const { body } = await service.call('POST', '/segments', { body: { name: 'Simulated' } })
    segmentId = (body as { id: string }).id
  })

  function stepOf(kind: (typeof kinds)[number], key: string): Step {
    if (kind === 'mail') return mail(key, { template: { id: template, variables: { PRODUCT: { var: 'wait_events.heard.product' } } } })
    if (kind === 'delay') return pause(key)
    if (kind === 'wait') return { key, type: 'wait_for_event', config: { event_name: 'heard', timeout: '1 hour' } }
    if (kind === 'update') return { key, type: 'contact_update', config: { first_name: { var: 'event.name' } } }
    if (kind === 'segment') return { key, type: 'add_to_segment', config: { segment_id: segmentId } }
    return { key, type: 'condition', config: { type: 'rule', field: 'contact.first_name', operator: 'eq', value: 'Ada' } }
  }

  /** Each step leads to the next, and by its other connection to the one after. */
  function graphOf(given: (typeof kinds)[number][], event: string): Graph {
    const steps: Step[] = [
      { key: 's0', type: 'trigger', config: { event_name: event } },
      ...given.map((kind, index) => stepOf(kind, `s${index + 1}`)),
    ]
    const connections = steps.flatMap(({ key, type }, index) => {
      const ports =
        type === 'wait_for_event'
          ? ['event_received', 'timeout']
          : type === 'condition'
            ? ['condition_met', 'condition_not_met']
            : ['default']
      return ports.flatMap((port, hop) => {
        const to = steps[index + 1 + hop]
        return to ? [{ from: key, to: to.key, type: port as Graph['connections'][number]['type'] }] : []
      })
    })
    return { steps, connections }
  }

  it('go through the same steps at the same times', async () => {
    const { runAll } = createRunner(service)
    const hours = fc.array(fc.boolean(), { minLength: 6, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 6 }), hours, async (given, comes) => {
        numbers += 1
        const [event, email] = [`compared.${numbers}`, `compared${numbers}@example.org`]
        const id = await addAutomation(service, graphOf(given, event))
        const payload = { name: 'Ada' }
        // Each falls into the middle of an hour.
        const events = comes.flatMap((does, hour) =>
          does ? [{ event: 'heard', after: `${60 * hour + 30} minutes`, payload: { product: `P${hour}` } }] : [],
        )
        const simulated = (await simulate(id, { email, payload, events })).body as {
          status: string
          steps: { key: string; status: string; started_at: string }[]
          emails: { subject: string }[]
        }
        const startedAt = clock.now().getTime()
        await sendEvent(service, event, { email, payload })
        await runAll()
        for (const [hour, does] of comes.entries()) {
          clock.shift(HOUR_MS / 2)
          if (does) await sendEvent(service, 'heard', { email, payload: { product: `P${hour}` } })
          await runAll()
          clock.shift(HOUR_MS / 2)
          await runAll()
        }
        const [run] = await runsOf(service, id)
        const found = Object.entries(run?.state.steps ?? {}).map(([key, step]) => ({
          key,
          status: step.status,
          at: halfHours(startedAt, step.startedAt),
        }))
        const first = Date.parse(simulated.steps[0]?.started_at ?? '')
        const expected = simulated.steps.map((step) => ({ key: step.key, status: step.status, at: halfHours(first, step.started_at) }))
        expect(found.toSorted(byKey)).toEqual(expected.toSorted(byKey))
        expect(run?.status).toBe(simulated.status)
        expect((await mailsTo(service, email)).map(({ subject }) => subject)).toEqual(simulated.emails.map(({ subject }) => subject))
      }),
      { numRuns: 20 },
    )
  })

  const byKey = (one: { key: string }, other: { key: string }): number => (one.key < other.key ? -1 : 1)
  const halfHours = (from: number, at: string): number => Math.round((Date.parse(at) - from) / (HOUR_MS / 2))
})
