// What uses properties and events, and who sees it.
import { beforeAll, expect, it } from 'vitest'
import type { MemberRole } from '../../../../src/lib/member-roles.ts'
import { automationInput, chain, trigger } from '../../../support/builders/automations.ts'
import { createBroadcast } from '../../../support/builders/broadcasts.ts'
import { UNKNOWN_ID } from '../../../support/builders/emails.ts'
import { publishedTemplate } from '../../../support/builders/templates.ts'
import { callAs, type SignedInPerson, signInPerson } from '../../../support/clients/people.ts'
import { create } from '../../../support/records/record-builder.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

const service = shared(() => startTestService({ environment: { ROLES: 'api' } }))
const people = new Map<MemberRole, SignedInPerson>()
beforeAll(async () => {
  for (const role of ['owner', 'marketer', 'developer', 'viewer'] as const)
    people.set(role, await signInPerson(service, role, { roles: { [service.teamId]: role } }))
})

type Use = { use: string; type: string; id: string; name: string }

const ask = (record: string, role: MemberRole = 'owner') => callAs(service, people.get(role) ?? { cookie: '' }, 'GET', `/${record}/uses`)
const usesOf = async (record: string, role?: MemberRole) =>
  ((await ask(record, role)).body as { data: Use[] }).data.toSorted((one, two) =>
    `${one.type} ${one.name}`.localeCompare(`${two.type} ${two.name}`),
  )

it('of a property are segments, unsent broadcasts, templates and automations that name it, and none that name another', async () => {
  const property = await create(service, '/contact-properties', { key: 'plan', type: 'string' })
  const other = await create(service, '/contact-properties', { key: 'plan_b', type: 'string' })
  const segment = await create(service, '/segments', { name: 'Pros', filter: { property: 'plan', operator: 'equals', value: 'pro' } })
  const rule = { type: 'rule', field: 'contact.properties.plan', operator: 'eq', value: 'pro' } as const
  const broadcast = await createBroadcast(service, { name: 'To pros', segment_id: segment, subject: 'Your {{{contact.plan}}}' })
  const template = await publishedTemplate(service, { name: 'About plans', html: '<p>{{{contact.properties.plan|none}}}</p>' })
  await publishedTemplate(service, { name: 'A word', html: '<p>Our plan, and {{{contact.plan_b}}}</p>' })
  const start = trigger('plan.chosen')
  const automation = (name: string, ...steps: Parameters<typeof chain>[0]) =>
    create(service, '/automations', automationInput({ name, ...chain([start, ...steps]) }))
  const writing = await automation('Writes', { key: 'set', type: 'contact_update', config: { properties: { plan: 'pro' } } })
  const reading = await automation('Reads', { key: 'is', type: 'condition', config: rule })
  await automation('Neither', { key: 'set', type: 'contact_update', config: { properties: { plan_b: 'plan' } } })

  const used = [
    use('names', 'automation', reading, 'Reads'),
    use('names', 'automation', writing, 'Writes'),
    use('names', 'broadcast', broadcast, 'To pros'),
    use('names', 'segment', segment, 'Pros'),
    use('names', 'template', template, 'About plans'),
  ]
  expect(await usesOf(`contact-properties/${property}`)).toEqual(used)
  expect((await usesOf(`contact-properties/${other}`)).map(({ name }) => name)).toEqual(['Neither', 'A word'])
  expect((await ask(`contact-properties/${property}`, 'viewer')).status).toBe(403)
  expect((await ask(`contact-properties/${UNKNOWN_ID}`)).status).toBe(404)
  const stranger = await signInPerson(service, 'stranger', { roles: { [service.other.teamId]: 'owner' } })
  expect((await callAs(service, stranger, 'GET', `/contact-properties/${property}/uses`)).status).toBe(404)
})

it('of an event are the automations that it starts and that wait for it, by its id or its name', async () => {
  const event = await create(service, '/events', { name: 'order.paid' })
  const starting = await create(service, '/automations', automationInput({ name: 'Thank', ...chain([trigger('order.paid')]) }))
  const wait = { key: 'wait', type: 'wait_for_event' as const, config: { event_name: 'order.paid', timeout: '1 day' } }
  const waiting = await create(service, '/automations', automationInput({ name: 'Remind', ...chain([trigger('order.made'), wait]) }))
  const both = [use('continues', 'automation', waiting, 'Remind'), use('starts', 'automation', starting, 'Thank')]
  expect(await usesOf(`events/${event}`)).toEqual(both)
  expect(await usesOf('events/order.paid')).toEqual(both)
  expect((await ask('events/order.unknown')).body).toMatchObject({ name: 'not_found', message: 'Event not found' })
})

const use = (how: string, type: string, id: string, name: string): Use => ({ use: how, type, id, name })
