import { Resend } from 'resend'
import { beforeAll, describe, expect, it } from 'vitest'
import { createId } from '../../../src/lib/ids.ts'
import { invalid, missing, outcome, TIMESTAMP, UUID } from '../../support/builders/answers.ts'
import {
  addRun,
  automationInput,
  automationRecord,
  connection,
  createAutomation,
  delay,
  trigger,
} from '../../support/builders/automations.ts'
import { addSegment, addTopic } from '../../support/builders/contacts.ts'
import { publishedTemplate } from '../../support/builders/templates.ts'
import { create } from '../../support/records/record-builder.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

let resend: Resend

const service = shared(() => startTestService())
beforeAll(() => {
  resend = new Resend(service.token, { baseUrl: service.url })
})

const read = async (id: string) => outcome(await service.call('GET', `/automations/${id}`))
const patch = async (id: string, body: object) => outcome(await service.call('PATCH', `/automations/${id}`, { body }))

const reference = (id: string) => ({ status: 200, body: { object: 'automation', id } })

const teamOf = async (name: string) => {
  const { id } = await service.service.context.repositories.teams.create(name)
  return { id, token: await service.createKey(id) }
}

describe('POST /automations', () => {
  it('creates a disabled automation, as the official client asks for it', async () => {
    const { data, error } = await resend.automations.create({
      name: 'Welcome',
      steps: [
        { key: 'start', type: 'trigger', config: { eventName: 'user.created' } },
        { key: 'wait', type: 'delay', config: { duration: '1 hour' } },
      ],
      connections: [{ from: 'start', to: 'wait' }],
    })
    expect({ data, error }).toEqual({ data: { object: 'automation', id: UUID }, error: null })
    expect((await resend.automations.get(data?.id ?? '')).data).toEqual(automationRecord(data?.id ?? ''))
  })

  it('takes every step that the official client knows', async () => {
    const templateId = await publishedTemplate(service, { alias: 'every-step' })
    const topicId = await addTopic(service)
    const segmentId = await addSegment(service)
    await create(service, '/contact-properties', { key: 'plan', type: 'string' })
    const { data } = await resend.automations.create({
      name: 'All',
      status: 'enabled',
      steps: [
        { key: 'start', type: 'trigger', config: { eventName: 'order.paid' } },
        {
          key: 'mail',
          type: 'send_email',
          config: {
            template: { id: 'every-step', variables: { PRODUCT: { var: 'event.product' } } },
            from: 'Acme <hello@example.com>',
            subject: 'Thank you',
            replyTo: 'help@example.com',
            topicId,
          },
        },
        { key: 'again', type: 'send_email', config: { template: { id: templateId } } },
        {
          key: 'wait',
          type: 'wait_for_event',
          config: {
            eventName: 'resend:email.opened',
            timeout: '3 days',
            filterRule: { type: 'rule', field: 'event.email_id', operator: 'exists' },
          },
        },
        {
          key: 'big',
          type: 'condition',
          config: { type: 'rule', field: 'contact.properties.plan', operator: 'eq', value: 'pro' },
        },
        { key: 'mark', type: 'contact_update', config: { firstName: null, lastName: { var: 'event.name' }, properties: { plan: 'pro' } } },
        { key: 'add', type: 'add_to_segment', config: { segmentId } },
        { key: 'gone', type: 'contact_delete', config: {} },
      ],
      connections: [
        { from: 'start', to: 'mail' },
        { from: 'mail', to: 'again' },
        { from: 'again', to: 'wait' },
        { from: 'wait', to: 'big', type: 'event_received' },
        { from: 'wait', to: 'gone', type: 'timeout' },
        { from: 'big', to: 'mark', type: 'condition_met' },
        { from: 'big', to: 'add', type: 'condition_not_met' },
        { from: 'mark', to: 'add' },
        { from: 'add', to: 'gone' },
      ],
    })
    expect((await resend.automations.get(data?.id ?? '')).data).toEqual(
      automationRecord(data?.id ?? '', {
        ...{ name: 'All', status: 'enabled' },
        steps: [
          { key: 'start', type: 'trigger', config: { event_name: 'order.paid' } },
          {
            key: 'mail',
            type: 'send_email',
            config: {
              template: { id: 'every-step', variables: { PRODUCT: { var: 'event.product' } } },
              from: 'Acme <hello@example.com>',
              subject: 'Thank you',
              reply_to: 'help@example.com',
              topic_id: topicId,
            },
          },
          { key: 'again', type: 'send_email', config: { template: { id: templateId } } },
          {
            key: 'wait',
            type: 'wait_for_event',
            config: {
              event_name: 'resend:email.opened',
              timeout: '3 days',
              filter_rule: { type: 'rule', field: 'event.email_id', operator: 'exists' },
            },
          },
          {
            key: 'big',
            type: 'condition',
            config: { type: 'rule', field: 'contact.properties.plan', operator: 'eq', value: 'pro' },
          },
          {
            key: 'mark',
            type: 'contact_update',
            config: { first_name: null, last_name: { var: 'event.name' }, properties: { plan: 'pro' } },
          },
          { key: 'add', type: 'add_to_segment', config: { segment_id: segmentId } },
          { key: 'gone', type: 'contact_delete', config: {} },
        ],
        connections: [
          connection('start', 'mail'),
          connection('mail', 'again'),
          connection('again', 'wait'),
          connection('wait', 'big', 'event_received'),
          connection('wait', 'gone', 'timeout'),
          connection('big', 'mark', 'condition_met'),
          connection('big', 'add', 'condition_not_met'),
          connection('mark', 'add'),
          connection('add', 'gone'),
        ],
      }),
    )
  })

  it('takes every setting, and null as not given', async () => {
    const settings = { name: 'x'.repeat(100), status: 'enabled', class: 'bulk', reentry: 'not_while_running', max_runs_per_contact: 3 }
    const id = await createAutomation(service, settings)
    expect(await read(id)).toEqual({ status: 200, body: automationRecord(id, settings) })
    const plain = await createAutomation(service, { status: null, class: null, reentry: null, max_runs_per_contact: null })
    expect(await read(plain)).toEqual({ status: 200, body: automationRecord(plain) })
  })
})

describe('GET /automations', () => {
  it('lists automations newest first, by status and in pages, as the official client reads them', async () => {
    const { token } = await teamOf('Lists')
    const official = new Resend(token, { baseUrl: service.url })
    const ids: string[] = []
    for (const [name, status] of [
      ['One', 'enabled'],
      ['Two', 'disabled'],
      ['Three', 'enabled'],
    ])
      ids.unshift(await createAutomation(service, { name, status }, { token }))
    const item = (index: number, name: string, status: string) => ({
      ...{ id: ids[index], name, status, created_at: TIMESTAMP, updated_at: TIMESTAMP, disabled_reason: null, held_at: null },
    })
    const page = (data: object[], has_more = false) => ({ object: 'list', has_more, data })
    const [three, two, one] = [item(0, 'Three', 'enabled'), item(1, 'Two', 'disabled'), item(2, 'One', 'enabled')]
    expect((await official.automations.list()).data).toEqual(page([three, two, one]))
    expect((await official.automations.list({ status: 'enabled' })).data).toEqual(page([three, one]))
    expect((await official.automations.list({ status: 'disabled' })).data).toEqual(page([two]))
    expect((await official.automations.list({ limit: 1, after: ids[0] ?? '' })).data).toEqual(page([two], true))
    expect((await official.automations.list({ limit: 1, before: ids[2] ?? '' })).data).toEqual(page([two], true))
  })

  it('refuses another status', async () =>
    expect(outcome(await service.call('GET', '/automations?status=active'))).toEqual(
      invalid('The `status` parameter must be one of: `enabled`, `disabled`. It is "active".'),
    ))
})

describe('PATCH /automations/{automation_id}', () => {
  it('changes what is given, as the official client asks for it', async () => {
    const id = await createAutomation(service)
    expect((await resend.automations.update(id, { name: 'Hello', status: 'enabled' })).data).toEqual({ object: 'automation', id })
    expect(await read(id)).toEqual({ status: 200, body: automationRecord(id, { name: 'Hello', status: 'enabled' }) })
    expect(await patch(id, { class: 'bulk', reentry: 'once', max_runs_per_contact: 5 })).toEqual(reference(id))
    const changed = { name: 'Hello', status: 'enabled', class: 'bulk', reentry: 'once', max_runs_per_contact: 5 }
    expect(await read(id)).toEqual({ status: 200, body: automationRecord(id, changed) })
    expect(await patch(id, { max_runs_per_contact: null })).toEqual(reference(id))
    expect(await read(id)).toEqual({ status: 200, body: automationRecord(id, { ...changed, max_runs_per_contact: null }) })
  })

  it('refuses a change of what someone else has changed meanwhile, and says who', async () => {
    const id = await createAutomation(service)
    const versionOf = async () => Object((await read(id)).body).version
    const graph = (event: string) => ({ steps: [trigger(event, 'go')], connections: [] })
    const before = await versionOf()
    // Settings are no part of it.
    expect(await patch(id, { name: 'Hello' })).toEqual(reference(id))
    expect(await versionOf()).toBe(before)
    const answers = await Promise.all([1, 2, 3].map((n) => patch(id, { ...graph(`at.once.${n}`), expected_version: before.toUpperCase() })))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409])
    const stored = (await read(id)).body
    expect(await patch(id, { ...graph('too.late'), expected_version: before })).toMatchObject({
      status: 409,
      body: { name: 'validation_error', message: expect.stringMatching(/^This automation was changed meanwhile by .+, at \d{4}-/) },
    })
    expect((await read(id)).body).toEqual(stored)
    expect(await patch(id, { ...graph('seen'), expected_version: await versionOf() })).toEqual(reference(id))
    expect(await patch(id, { ...graph('whatever'), expected_version: null })).toEqual(reference(id))
    expect(await patch(id, graph('whatever.again'))).toEqual(reference(id))
  })

  it('changes steps and connections together, and keeps the graph before for runs that have begun', async () => {
    const id = await createAutomation(service)
    const { data } = await resend.automations.update(id, {
      steps: [{ key: 'go', type: 'trigger', config: { eventName: 'order.paid' } }],
      connections: [],
    })
    expect(data).toEqual({ object: 'automation', id })
    expect(await read(id)).toEqual({
      status: 200,
      body: automationRecord(id, { steps: [trigger('order.paid', 'go')], connections: [] }),
    })
    expect(
      await service.database.execute('select steps -> 0 ->> $2 as key from automation_versions where automation_id = $1 order by id', [
        id,
        'key',
      ]),
    ).toEqual([{ key: 'start' }, { key: 'go' }])
    expect(await service.database.execute('select trigger_event from automations where id = $1', [id])).toEqual([
      { trigger_event: 'order.paid' },
    ])
  })

  it.each<[string, object, string]>([
    ['steps alone', { steps: [trigger()] }, 'Missing `connections` field: change `steps` and `connections` together.'],
    ['connections alone', { connections: [] }, 'Missing `steps` field: change `steps` and `connections` together.'],
    ['nothing', {}, 'The request body must have at least one field to change.'],
    [
      'a bad graph',
      { steps: [trigger(), delay('a')], connections: [] },
      'Step "a": no connection leads to it from the trigger. Connect it, or remove it.',
    ],
    ['no steps', { steps: null, connections: null }, 'The `steps` field must be an array. Leave it out to keep what is there.'],
    ['an empty name', { name: '' }, 'The `name` field must not be empty.'],
  ])('refuses %s, and changes nothing', async (_what, body, message) => {
    const id = await createAutomation(service)
    expect(await patch(id, body)).toEqual(invalid(message))
    expect(await read(id)).toEqual({ status: 200, body: automationRecord(id) })
  })
})

describe('POST /automations/{automation_id}/duplicate', () => {
  it('makes a disabled copy with the same settings and graph', async () => {
    const settings = { name: 'n'.repeat(98), status: 'enabled', class: 'bulk', reentry: 'once', max_runs_per_contact: 2 }
    const id = await createAutomation(service, settings)
    const { data } = await resend.automations.duplicate(id)
    expect(data).toEqual({ object: 'automation', id: UUID })
    expect(data?.id).not.toBe(id)
    const copy = automationRecord(data?.id ?? '', { ...settings, name: `${'n'.repeat(93)} (copy)`, status: 'disabled' })
    expect((await resend.automations.get(data?.id ?? '')).data).toEqual(copy)
    expect(await read(id)).toEqual({ status: 200, body: automationRecord(id, settings) })
  })
})

describe('POST /automations/{automation_id}/stop', () => {
  it('disables, as the official client asks for it, and every stop has a time of its own', async () => {
    const id = await createAutomation(service, { status: 'enabled' })
    const times = []
    for (let round = 0; round < 3; round += 1) {
      expect((await resend.automations.stop(id)).data).toEqual({ object: 'automation', id, status: 'disabled', cancelled_runs: 0 })
      times.push((await service.database.execute('select stopped_at::text as at from automations where id = $1', [id]))[0]?.at)
    }
    expect(await read(id)).toEqual({ status: 200, body: automationRecord(id, { stopped_at: TIMESTAMP }) })
    expect(times.toSorted()).toEqual([...new Set(times)])
  })

  it('says how many runs it cancels, and leaves nothing that needs attention', async () => {
    const id = await createAutomation(service, { status: 'enabled' })
    for (const status of ['running', 'running', 'completed']) await addRun(service, id, { status })
    const hold = () =>
      service.database.execute(
        "update automations set held_at = now(), held_contact_id = $2, disabled_reason = 'It was deleted.' where id = $1",
        [id, createId()],
      )
    const inList = async () => {
      const { data } = (await service.call('GET', '/automations?limit=1')).body as { data: object[] }
      return data[0]
    }
    await hold()
    expect(await inList()).toMatchObject({ id, held_at: TIMESTAMP, disabled_reason: 'It was deleted.' })
    expect((await service.call('POST', `/automations/${id}/stop`)).body).toMatchObject({ status: 'disabled', cancelled_runs: 2 })
    expect((await service.call('POST', `/automations/${id}/stop`)).body).toMatchObject({ status: 'disabled', cancelled_runs: 0 })
    const settled = { held_at: null, disabled_reason: null }
    expect(await inList()).toMatchObject({ id, ...settled })
    await hold()
    await service.call('PATCH', `/automations/${id}`, { body: { name: 'Renamed' } })
    expect((await read(id)).body).toMatchObject({ held_at: TIMESTAMP })
    await service.call('PATCH', `/automations/${id}`, { body: { status: 'enabled' } })
    expect((await read(id)).body).toMatchObject({ ...settled, held_contact_id: null })
  })
})

describe('DELETE /automations/{automation_id}', () => {
  it('removes from sight at once, as the official client asks for it', async () => {
    const { token } = await teamOf('Deletes')
    const official = new Resend(token, { baseUrl: service.url })
    const id = await createAutomation(service, { status: 'enabled' }, { token })
    expect((await official.automations.remove(id)).data).toEqual({ object: 'automation', id, deleted: true })
    expect((await official.automations.list()).data).toEqual({ object: 'list', has_more: false, data: [] })
    const body = automationInput()
    for (const [method, path, options] of [
      ['GET', '', {}],
      ['DELETE', '', {}],
      ['PATCH', '', { body }],
      ['POST', '/stop', {}],
      ['POST', '/duplicate', {}],
    ] as const)
      expect(outcome(await service.call(method, `/automations/${id}${path}`, { token, ...options }))).toEqual(missing('Automation'))
  })
})
