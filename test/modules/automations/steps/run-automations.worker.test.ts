// What starts runs, and what their steps do.
import { describe, expect, it } from 'vitest'
import { TIMESTAMP } from '../../../support/builders/answers.ts'
import { leftRows, mailsTo, NOTHING_LEFT, pathOf, pause, runsOf, useAutomationScene } from '../../../support/builders/automations.ts'
import { addSegment, addTopic, createContact } from '../../../support/builders/contacts.ts'
import { publishedTemplate } from '../../../support/builders/templates.ts'

const HOUR_MS = 3_600_000
const scene = useAutomationScene()
const { clock, service, runAll, send, mail, add, onlyRun } = scene

describe('an event', () => {
  it('starts a run, which makes a contact of an address and sends what the template says', async () => {
    const id = await add([mail({ template: { id: scene.template, variables: { PRODUCT: { var: 'event.product' } } } })])
    await send(scene.event, { payload: { product: '<b>Lamp</b>' } })
    await runAll()

    const run = await onlyRun(id)
    expect(run).toMatchObject({ email: scene.address, status: 'completed', reason: null, wakeAt: null, claims: 0, leasedBy: null })
    const [email] = await mailsTo(service, scene.address)
    expect(email).toMatchObject({ subject: '<b>Lamp</b> is on its way', html: '<p>Thank you for &lt;b&gt;Lamp&lt;/b&gt;.</p>' })
    expect(run.state.steps.mail?.output).toEqual({
      to: [scene.address],
      email_id: email?.id,
      template: { id: scene.template, variables: { PRODUCT: '<b>Lamp</b>' } },
    })
    const contact = await service.call('GET', `/contacts/${scene.address}`)
    expect(contact.body).toMatchObject({ id: run.contactId, unsubscribed: false })
    expect(await leftRows(service)).toEqual(NOTHING_LEFT)
  })

  it('starts each enabled automation once, however often it is told', async () => {
    const [one, two] = [await add([pause]), await add([pause])]
    const disabled = await add([pause], { status: 'disabled' })
    await send()
    await send()
    await runAll()
    await runAll()
    expect([(await runsOf(service, one)).length, (await runsOf(service, two)).length, (await runsOf(service, disabled)).length]).toEqual([
      2, 2, 0,
    ])
  })

  it('of an address that opted out makes a contact that has unsubscribed, who gets no mail', async () => {
    await createContact(service, { email: scene.address, unsubscribed: true })
    await service.call('DELETE', `/contacts/${scene.address}`)
    const id = await add([mail(), pause])
    await send()
    await runAll()
    const run = await onlyRun(id)
    expect(pathOf(run)).toEqual({ start: 'completed', mail: 'skipped', pause: 'waiting' })
    expect(run.state.steps.mail?.output).toEqual({ why: 'The contact has unsubscribed from all bulk email.' })
    expect(await mailsTo(service, scene.address)).toEqual([])
  })

  it.each([
    ['once', 1],
    ['not_while_running', 1],
    ['always', 3],
  ] as const)('with reentry %s starts %i of three runs while one runs', async (reentry, count) => {
    const id = await add([pause], { reentry })
    for (let times = 0; times < 3; times += 1) await send()
    await runAll()
    expect(await runsOf(service, id)).toHaveLength(count)
  })

  it('starts another run with `not_while_running` once the first has ended, and with `once` none', async () => {
    const again = await add([], { reentry: 'not_while_running' })
    const once = await add([], { reentry: 'once' })
    await send()
    await runAll()
    await send()
    await runAll()
    expect([(await runsOf(service, again)).length, (await runsOf(service, once)).length]).toEqual([2, 1])
  })

  it('starts at most as many runs for a contact as the automation allows', async () => {
    const id = await add([pause], { maxRunsPerContact: 2 })
    for (let times = 0; times < 4; times += 1) await send()
    await runAll()
    expect(await runsOf(service, id)).toHaveLength(2)
  })

  it('that starts an automation more than 100 times an hour is held, and the automation says so', async () => {
    const id = await add([pause])
    const events = Array.from({ length: 60 }, () => ({ event: scene.event, email: scene.address }))
    for (let times = 0; times < 2; times += 1) expect((await service.call('POST', '/events/send/batch', { body: events })).status).toBe(202)
    await runAll()
    const runs = await runsOf(service, id)
    expect(runs).toHaveLength(100)
    const held = { held_at: TIMESTAMP, held_contact_id: runs[0]?.contactId }
    expect((await service.call('GET', `/automations/${id}`)).body).toMatchObject(held)
    clock.shift(HOUR_MS + 1)
    await send()
    await runAll()
    expect(await runsOf(service, id)).toHaveLength(101)
  })
})

describe('a step that acts', () => {
  it('changes the contact, which later steps see', async () => {
    await service.call('POST', '/contact-properties', { body: { key: `plan_${scene.number}`, type: 'string' } })
    await createContact(service, { email: scene.address })
    const id = await add([
      {
        key: 'change',
        type: 'contact_update',
        config: { first_name: { var: 'event.name' }, properties: { [`plan_${scene.number}`]: 'pro' } },
      },
      {
        key: 'look',
        type: 'condition',
        config: { type: 'rule', field: `contact.properties.plan_${scene.number}`, operator: 'eq', value: 'pro' },
      },
      mail({ subject: 'For {{{contact.first_name}}}' }),
    ])
    await send(scene.event, { payload: { name: 'Ada' } })
    await runAll()
    expect(pathOf(await onlyRun(id))).toEqual({ start: 'completed', change: 'completed', look: 'completed', mail: 'completed' })
    expect(await mailsTo(service, scene.address)).toMatchObject([{ subject: 'For Ada' }])
  })

  it('adds the contact to a segment', async () => {
    const segmentId = await addSegment(service)
    const id = await add([{ key: 'join', type: 'add_to_segment', config: { segment_id: segmentId } }])
    await send()
    await runAll()
    expect((await onlyRun(id)).status).toBe('completed')
    const members = await service.call('GET', `/segments/${segmentId}/contacts`)
    expect(members.body).toMatchObject({ data: [{ email: scene.address }] })
  })

  it('deletes the contact, and ends the run, which knows nothing of it any longer', async () => {
    const id = await add([{ key: 'delete', type: 'contact_delete', config: {} }, mail()])
    await send(scene.event, { payload: { secret: 1 } })
    await runAll()
    expect(await onlyRun(id)).toMatchObject({
      status: 'completed',
      email: null,
      payload: {},
      state: { heard: {}, steps: { delete: { output: null } } },
    })
    expect((await service.call('GET', `/contacts/${scene.address}`)).status).toBe(404)
    expect(await mailsTo(service, scene.address)).toEqual([])
  })

  it('fails the run, with the reason, if what it needs is gone', async () => {
    const segmentId = await addSegment(service)
    const gone = await publishedTemplate(service)
    const toSegment = await add([pause, { key: 'join', type: 'add_to_segment', config: { segment_id: segmentId } }])
    const toMail = await add([pause, mail({ template: { id: gone } })])
    const toProperty = await add([pause, { key: 'change', type: 'contact_update', config: { properties: { unheard_of: 'x' } } }])
    await send()
    await runAll()
    // The deletions disable the automations. Runs that began go on.
    await service.call('DELETE', `/segments/${segmentId}`)
    await service.call('DELETE', `/templates/${gone}`)
    clock.shift(HOUR_MS + 1)
    await runAll()
    const reasons = await Promise.all([toSegment, toMail, toProperty].map(async (id) => (await onlyRun(id)).reason))
    expect(reasons).toEqual([
      'Step `join`: Its segment was deleted.',
      'Step `mail`: Its template was deleted.',
      'Step `change`: The `properties.unheard_of` field is not a property of your contacts: create it first with POST /contact-properties.',
    ])
  })

  it('skips mail to who is suppressed, or does not want the topic', async () => {
    const topicId = await addTopic(service)
    await service.call('POST', '/suppressions', { body: { email: scene.address } })
    const suppressed = await add([mail()])
    await send()
    await runAll()
    expect((await onlyRun(suppressed)).state.steps.mail).toMatchObject({
      status: 'skipped',
      output: { why: 'The address is on the suppression list: your team added it.' },
    })
    scene.address = `topic.${scene.address}`
    scene.event = `topic.${scene.event}`
    await createContact(service, { email: scene.address, topics: [{ id: topicId, subscription: 'opt_out' }] })
    const refused = await add([mail({ topic_id: topicId })])
    await send()
    await runAll()
    expect((await onlyRun(refused)).state.steps.mail).toMatchObject({
      status: 'skipped',
      output: { why: 'The contact has opted out of this topic.' },
    })
  })

  it('sends mail of the class of the automation, with a link to unsubscribe if it is for many', async () => {
    await add([mail()], { class: 'bulk' })
    await send()
    await runAll()
    const [email] = await service.database.execute(
      `select d.class, e.headers ->> 'List-Unsubscribe-Post' as "oneClick" from emails e join deliveries d on d.email_id = e.id where e."to" = array[$1]`,
      [scene.address],
    )
    expect(email).toEqual({ class: 'bulk', oneClick: 'List-Unsubscribe=One-Click' })
  })
})
