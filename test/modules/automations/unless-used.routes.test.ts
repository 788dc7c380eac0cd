// Deleting what is in use: what cannot go on is ended in the same transaction, or nothing is deleted.
import { beforeEach, describe, expect, it } from 'vitest'
import { createAutomation, trigger } from '../../support/builders/automations.ts'
import { publishedTemplate } from '../../support/builders/templates.ts'
import { until } from '../../support/clocks/until.ts'
import { shared, startTestService } from '../../support/servers/service.ts'
import { WAITS_FOR_LOCK } from '../../support/servers/statements.ts'

const service = shared(() => startTestService({ environment: { SENDER_POLICY: 'verified' } }))
beforeEach(() =>
  service.database.execute(
    'truncate templates, template_versions, automations, automation_versions, broadcasts, segments, topics, domains, emails, recipients, deliveries, notifications cascade',
  ),
)

const waiting = (count: number) =>
  until(async () => {
    const sql = `select from pg_stat_activity where datname = current_database() and ${WAITS_FOR_LOCK}`
    expect(await service.database.execute(sql)).toHaveLength(count)
  })
const TOMORROW = new Date(Date.now() + 86_400_000).toISOString()
const call = async (method: string, path: string, body?: object) => {
  const answer = await service.call(method, path, { body })
  return { status: answer.status, body: answer.body as Record<string, unknown>, warnings: answer.headers.get('x-warnings') }
}
const create = async (path: string, body: object) => String((await call('POST', path, body)).body.id)
const notified = async (type: string) =>
  (await service.database.execute<{ id: string }>('select subject_id as id from notifications where type = $1 order by id', [type])).map(
    ({ id }) => id,
  )
const attention = () => service.service.context.repositories.attention.ofTeam(service.teamId, new Date())

describe('a template that an automation sends', () => {
  const welcome = (template: string, status = 'enabled', name = 'Welcome') =>
    createAutomation(service, {
      ...{ name, status },
      steps: [trigger(), { key: 'mail', type: 'send_email', config: { template: { id: template } } }],
      connections: [{ from: 'start', to: 'mail' }],
    })

  it.each(['id', 'alias'])(
    'is deleted, and the automation that names its %s is disabled with an event, a warning and a line',
    async (by) => {
      const template = await publishedTemplate(service, { alias: 'welcome' })
      const automation = await welcome(by === 'id' ? template.toUpperCase() : 'welcome')
      const other = await welcome(await publishedTemplate(service, { alias: 'other' }))
      expect(await call('DELETE', `/templates/${template}`)).toEqual({
        status: 200,
        body: { object: 'template', id: template, deleted: true },
        warnings: `automation_disabled=${automation}`,
      })
      const reason = expect.stringMatching(/^The template “.+”, which it sends, was deleted\.$/)
      expect((await call('GET', `/automations/${automation}`)).body).toMatchObject({ status: 'disabled', disabled_reason: reason })
      expect((await call('GET', `/automations/${other}`)).body).toMatchObject({ status: 'enabled', disabled_reason: null })
      expect(await notified('automation.disabled')).toEqual([automation])
      expect((await attention()).disabledAutomations.rows).toEqual([{ id: automation, name: 'Welcome', disabledReason: reason }])
      await call('PATCH', `/automations/${automation}`, { status: 'disabled' })
      expect((await attention()).disabledAutomations.rows).toEqual([])
    },
  )

  it('is kept with unless_used, which names the first ten and how many there are', async () => {
    const template = await publishedTemplate(service, { alias: 'welcome' })
    const automations: string[] = []
    for (let number = 1; number <= 12; number += 1) automations.push(await welcome('welcome', 'enabled', `Welcome ${number}`))
    const refused = await call('DELETE', `/templates/${template}?unless_used=true`)
    expect(refused).toMatchObject({ status: 409, body: { statusCode: 409, name: 'validation_error' }, warnings: null })
    const { message } = refused.body
    expect(message).toMatch(/^The template is in use by 12 records: automation `.+ and 2 more\. Change that first/)
    expect(automations.filter((id) => String(message).includes(id))).toEqual(automations.slice(2))
    expect((await call('GET', `/templates/${template}`)).status).toBe(200)
    expect(await notified('automation.disabled')).toEqual([])
  })

  it('is deleted with unless_used if only a disabled automation names it', async () => {
    const template = await publishedTemplate(service, { alias: 'welcome' })
    await welcome('welcome', 'disabled')
    expect(await call('DELETE', `/templates/${template}?unless_used=true`)).toMatchObject({ status: 200, warnings: null })
  })

  it('is not touched by a value of unless_used that is none', async () =>
    expect(await call('DELETE', `/templates/welcome?unless_used=perhaps`)).toMatchObject({ status: 422 }))
})

async function verifiedDomain(name: string): Promise<string> {
  const id = await create('/domains', { name })
  await service.database.execute(`update domains set status = 'verified', owns_name = true, can_send = true where id = $1`, [id])
  return id
}

async function scheduledBroadcast(segment: string, topic?: string): Promise<string> {
  const broadcast = await create('/broadcasts', {
    name: 'News',
    segment_id: segment,
    topic_id: topic,
    from: 'Acme <news@acme.example>',
    subject: 'News',
    text: 'News',
  })
  expect((await call('POST', `/broadcasts/${broadcast}/send`, { scheduled_at: TOMORROW })).status).toBe(200)
  return broadcast
}

describe('a segment to which a broadcast is scheduled', () => {
  it('is kept with unless_used, and deleted without it: the broadcast is a draft again', async () => {
    await verifiedDomain('acme.example')
    const segment = await create('/segments', { name: 'All' })
    const broadcast = await scheduledBroadcast(segment)
    expect(await call('DELETE', `/segments/${segment}?unless_used=true`)).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining(`in use by one record: broadcast \`${broadcast}\` (News).`) },
    })
    expect(await call('DELETE', `/segments/${segment}`)).toMatchObject({ status: 200, warnings: `broadcast_unscheduled=${broadcast}` })
    const reason = expect.stringContaining('Its segment was deleted before the scheduled time')
    expect((await call('GET', `/broadcasts/${broadcast}`)).body).toMatchObject({
      status: 'draft',
      scheduled_at: null,
      status_reason: reason,
    })
    expect(await notified('broadcast.unscheduled')).toEqual([broadcast])
    expect((await attention()).broadcasts.rows).toMatchObject([{ id: broadcast, status: 'draft', statusReason: reason }])
    expect(await call('DELETE', `/segments/${segment}?unless_used=true`)).toMatchObject({ status: 200, warnings: null })
  })
})

describe('a segment or topic that is deleted while a broadcast is sent', () => {
  const draft = async () => {
    await verifiedDomain('acme.example')
    const segment = await create('/segments', { name: 'All' })
    const topic = await create('/topics', { name: 'News', default_subscription: 'opt_in' })
    const content = { from: 'a@acme.example', subject: 'News', text: 'News' }
    return { segment, topic, broadcast: await create('/broadcasts', { segment_id: segment, topic_id: topic, name: 'News', ...content }) }
  }

  it.each(['segment', 'topic'] as const)('is not sent to: the %s that goes first', async (kind) => {
    const { broadcast, ...ids } = await draft()
    const sending = await service.database.transaction(async (inside) => {
      await inside(`delete from ${kind}s where id = $1`, [ids[kind]])
      const sent = call('POST', `/broadcasts/${broadcast}/send`)
      await waiting(1)
      return { sent }
    })
    expect(await sending.sent).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining(`not the id of one of your ${kind}s`) },
    })
    expect((await call('GET', `/broadcasts/${broadcast}`)).body).toMatchObject({ status: 'draft' })
  })

  it.each(['segment', 'topic'] as const)('is kept with unless_used: the %s of one that is scheduled first', async (kind) => {
    const { broadcast, ...ids } = await draft()
    const running = await service.database.transaction(async (inside) => {
      await inside('select from broadcasts where id = $1 for update', [broadcast])
      const sent = call('POST', `/broadcasts/${broadcast}/send`, { scheduled_at: TOMORROW })
      await waiting(1)
      const deleted = call('DELETE', `/${kind}s/${ids[kind]}?unless_used=true`)
      await waiting(2)
      return { sent, deleted }
    })
    expect([(await running.sent).status, (await running.deleted).status]).toEqual([200, 409])
  })
})

describe('a template, segment or topic that is deleted while an automation that names it is enabled', () => {
  const parts = async () => {
    const template = await publishedTemplate(service, { alias: 'welcome' })
    const segment = await create('/segments', { name: 'Customers' })
    const topic = await create('/topics', { name: 'News', default_subscription: 'opt_in' })
    const graph = {
      steps: [
        trigger(),
        { key: 'mail', type: 'send_email', config: { template: { id: 'welcome' }, topic_id: topic } },
        { key: 'other', type: 'send_email', config: { template: { id: template } } },
        { key: 'add', type: 'add_to_segment', config: { segment_id: segment } },
      ],
      connections: [
        { from: 'start', to: 'mail' },
        { from: 'mail', to: 'other' },
        { from: 'other', to: 'add' },
      ],
    }
    return { ids: { templates: template, segments: segment, topics: topic }, graph }
  }
  const simple = { steps: [trigger()], connections: [] }
  const ways = [
    ['created enabled', () => undefined, (graph: object) => call('POST', '/automations', { name: 'A', status: 'enabled', ...graph })],
    [
      'enabled',
      (graph: object) => createAutomation(service, { name: 'A', ...graph }),
      (_, id) => call('PATCH', `/automations/${id}`, { status: 'enabled' }),
    ],
    [
      'enabled already, and gets other steps',
      () => createAutomation(service, { name: 'A', status: 'enabled', ...simple }),
      (graph: object, id) => call('PATCH', `/automations/${id}`, graph),
    ],
  ] as const satisfies [string, (graph: object) => unknown, (graph: object, id: unknown) => ReturnType<typeof call>][]
  const KINDS = ['templates', 'segments', 'topics'] as const
  const cases = ways.flatMap((way) => KINDS.map((kind) => [kind, ...way] as const))
  const ENABLED = `
    select from automation_versions v join automations a on a.version_id = v.id
    where a.status = 'enabled' and v.steps::text like '%add_to_segment%'`

  it.each(cases)('refuses the automation if the deletion is first: %s, an automation that is %s', async (kind, _, prepare, save) => {
    const { ids, graph } = await parts()
    const id = await prepare(graph)
    const { saved } = await service.database.transaction(async (inside) => {
      await inside(`delete from ${kind} where id = $1`, [ids[kind]])
      const saving = save(graph, id)
      await waiting(1)
      return { saved: saving }
    })
    const noun = kind.slice(0, -1)
    const message = expect.stringMatching(new RegExp(`^Step .+ is not the id .*of one of your ${noun}s\\.$`))
    expect(await saved).toMatchObject({ status: 422, body: { message } })
    expect(await service.database.execute(ENABLED)).toEqual([])
  })

  it.each(cases)('finds the automation if that is first: %s, an automation that is %s', async (kind, _, prepare, save) => {
    const { ids, graph } = await parts()
    const id = await prepare(graph)
    const running = await service.database.transaction(async (inside) => {
      await inside('lock table automations in share mode')
      const saving = save(graph, id)
      await waiting(1)
      const deleted = call('DELETE', `/${kind}/${ids[kind]}?unless_used=true`)
      await waiting(2)
      return { saving, deleted }
    })
    const [saved, deleted] = [await running.saving, await running.deleted]
    expect([saved.status, deleted.status]).toEqual([id === undefined ? 201 : 200, 409])
    expect(deleted.body.message).toContain(`automation \`${saved.body.id}\``)
    expect(await call('DELETE', `/${kind}/${ids[kind]}`)).toMatchObject({ status: 200, warnings: `automation_disabled=${saved.body.id}` })
  })

  it.each(KINDS)('is refused, with its step, when it is enabled long after one of the %s was deleted', async (kind) => {
    const { ids, graph } = await parts()
    const id = await createAutomation(service, { name: 'A', ...graph })
    await call('DELETE', `/${kind}/${ids[kind]}`)
    const refused = await call('PATCH', `/automations/${id}`, { status: 'enabled' })
    expect(refused).toMatchObject({
      status: 422,
      body: { message: expect.stringMatching(new RegExp(`^Step .+ of one of your ${kind}`)) },
    })
    expect((await call('GET', `/automations/${id}`)).body.status).toBe('disabled')
    expect((await call('PATCH', `/automations/${id}`, { name: 'B' })).status).toBe(200)
  })
})

describe.each(['segments', 'audiences'])('a segment to which an automation adds contacts, at /%s', (path) => {
  it('is kept with unless_used, and deleted without it: the automation is disabled', async () => {
    const adds = (segment: string, status: string) =>
      createAutomation(service, {
        ...{ name: 'Welcome', status },
        steps: [trigger(), { key: 'add', type: 'add_to_segment', config: { segment_id: segment } }],
        connections: [{ from: 'start', to: 'add' }],
      })
    const segment = await create('/segments', { name: 'Customers' })
    const automation = await adds(segment.toUpperCase(), 'enabled')
    await adds(segment, 'disabled')
    await adds(await create('/segments', { name: 'Others' }), 'enabled')
    expect(await call('DELETE', `/${path}/${segment}?unless_used=true`)).toMatchObject({
      status: 409,
      body: { message: expect.stringContaining(`The segment is in use by one record: automation \`${automation}\` (Welcome).`) },
    })
    expect((await call('GET', `/automations/${automation}`)).body.status).toBe('enabled')
    expect(await call('DELETE', `/${path}/${segment}`)).toMatchObject({ status: 200, warnings: `automation_disabled=${automation}` })
    expect((await call('GET', `/automations/${automation}`)).body).toMatchObject({
      status: 'disabled',
      disabled_reason: 'The segment “Customers”, to which it adds contacts, was deleted.',
    })
    expect(await notified('automation.disabled')).toEqual([automation])
    expect((await attention()).disabledAutomations.rows).toMatchObject([{ id: automation }])
  })
})

describe('a topic of which mail is sent', () => {
  it('is kept with unless_used, and deleted without it: an automation is disabled, a broadcast is a draft again', async () => {
    await verifiedDomain('acme.example')
    const ofTopic = { name: 'News', default_subscription: 'opt_in' }
    const [topic, other] = [await create('/topics', ofTopic), await create('/topics', ofTopic)]
    const template = await publishedTemplate(service, { alias: 'welcome' })
    const sends = (topicId: string) =>
      createAutomation(service, {
        ...{ name: 'Welcome', status: 'enabled' },
        steps: [trigger(), { key: 'mail', type: 'send_email', config: { template: { id: template }, topic_id: topicId } }],
        connections: [{ from: 'start', to: 'mail' }],
      })
    const segment = await create('/segments', { name: 'All' })
    const [automation, broadcast] = [await sends(topic.toUpperCase()), await scheduledBroadcast(segment, topic)]
    const others = [await sends(other), await scheduledBroadcast(segment, other)]
    expect(await call('DELETE', `/topics/${topic}?unless_used=true`)).toMatchObject({
      status: 409,
      body: { message: expect.stringMatching(/^The topic is in use by 2 records: automation .+ \(Welcome\), broadcast .+ \(News\)\./) },
    })
    expect((await call('GET', `/topics/${topic}`)).status).toBe(200)
    expect(await call('DELETE', `/topics/${topic}`)).toMatchObject({
      status: 200,
      warnings: `automation_disabled=${automation}, broadcast_unscheduled=${broadcast}`,
    })
    expect((await call('GET', `/automations/${automation}`)).body).toMatchObject({
      status: 'disabled',
      disabled_reason: 'The topic “News”, of which it sends mail, was deleted.',
    })
    expect((await call('GET', `/broadcasts/${broadcast}`)).body).toMatchObject({
      status: 'draft',
      scheduled_at: null,
      status_reason: expect.stringContaining('Its topic was deleted before the scheduled time'),
    })
    expect([await notified('automation.disabled'), await notified('broadcast.unscheduled')]).toEqual([[automation], [broadcast]])
    expect((await call('GET', `/automations/${others[0]}`)).body.status).toBe('enabled')
    expect((await call('GET', `/broadcasts/${others[1]}`)).body.status).toBe('scheduled')
  })
})

describe('a domain from which mail is scheduled', () => {
  const email = { from: 'hello@acme.example', to: ['ada@example.com', 'grace@example.com'], subject: 'Later', text: 'Later' }

  it('is kept with unless_used, and deleted without it: emails are canceled, a broadcast is a draft again', async () => {
    const domain = await verifiedDomain('acme.example')
    await verifiedDomain('other.example')
    const broadcast = await scheduledBroadcast(await create('/segments', { name: 'All' }))
    const scheduled = [
      await create('/emails', { ...email, scheduled_at: TOMORROW }),
      await create('/emails', { ...email, scheduled_at: TOMORROW }),
    ]
    const other = await create('/emails', { ...email, from: 'hello@other.example', scheduled_at: TOMORROW })
    expect(await call('DELETE', `/domains/${domain}?unless_used=true`)).toMatchObject({
      status: 409,
      body: { message: expect.stringMatching(/^The domain is in use by 3 records: broadcast .+ email `.+` \(Later\)\./) },
    })
    expect(await call('DELETE', `/domains/${domain}`)).toMatchObject({
      status: 200,
      warnings: `broadcast_unscheduled=${broadcast}, emails_canceled=2`,
    })
    for (const id of scheduled) expect((await call('GET', `/emails/${id}`)).body.last_event).toBe('canceled')
    expect((await call('GET', `/emails/${other}`)).body.last_event).toBe('scheduled')
    expect(await service.database.execute('select distinct email_id as id from deliveries')).toEqual([{ id: other }])
    expect((await notified('email.canceled')).sort()).toEqual(scheduled.toSorted())
    expect((await attention()).broadcasts.rows).toMatchObject([
      {
        id: broadcast,
        statusReason:
          'Its domain acme.example was deleted before the scheduled time, so it is a draft again. Choose another sender, and schedule it again.',
      },
    ])
  })
})
