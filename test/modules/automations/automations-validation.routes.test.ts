// The bounds of an automation, and what its graph may name.
import { describe, expect, it } from 'vitest'
import { AUTOMATIONS_MAX } from '../../../src/modules/automations/automations.schema.ts'
import type { Graph } from '../../../src/modules/automations/graph/graph.ts'
import { invalid, outcome } from '../../support/builders/answers.ts'
import {
  automationInput,
  automationRecord,
  chain,
  condition,
  connection,
  createAutomation,
  delay,
  trigger,
} from '../../support/builders/automations.ts'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { createTemplate, publishedTemplate } from '../../support/builders/templates.ts'
import { create } from '../../support/records/record-builder.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService())

const read = async (id: string) => outcome(await service.call('GET', `/automations/${id}`))
const post = async (body: object) => outcome(await service.call('POST', '/automations', { body }))

const teamOf = async (name: string) => {
  const { id } = await service.service.context.repositories.teams.create(name)
  return { id, token: await service.createKey(id) }
}

describe('POST /automations', () => {
  it('takes 150 steps', async () => {
    const graph = chain([trigger(), ...Array.from({ length: 149 }, (_, index) => delay(`step ${index}`))])
    const id = await createAutomation(service, graph)
    expect(await read(id)).toEqual({ status: 200, body: automationRecord(id, graph) })
  })

  it.each<[string, Record<string, unknown>, string]>([
    ['no name', { name: undefined }, 'Missing `name` field.'],
    ['an empty name', { name: '' }, 'The `name` field must not be empty.'],
    ['a long name', { name: 'x'.repeat(101) }, 'The `name` field must have at most 100 characters.'],
    ['another status', { status: 'active' }, 'The `status` field must be one of: `enabled`, `disabled`. It is "active".'],
    ['another class', { class: 'urgent' }, 'The `class` field must be one of: `transactional`, `bulk`. It is "urgent".'],
    ['no runs', { max_runs_per_contact: 0 }, 'The `max_runs_per_contact` field must be a number from 1 to 1000. It is 0.'],
    ['no steps', { steps: undefined }, 'Missing `steps` field.'],
    ['steps without connections', { connections: undefined }, 'Missing `connections` field.'],
    ['an empty list of steps', { steps: [], connections: [] }, 'The `steps` field must not be empty.'],
    [
      '151 steps',
      chain([trigger(), ...Array.from({ length: 150 }, (_, index) => delay(`${index}`))]),
      'The `steps` field must have at most 150 entries.',
    ],
    [
      '301 connections',
      { connections: Array.from({ length: 301 }, () => connection('start', 'wait')) },
      'The `connections` field must have at most 300 entries.',
    ],
    ['a step without a key', { steps: [{ type: 'trigger', config: {} }] }, 'Missing `steps[0].key` field.'],
    ['an empty key', { steps: [trigger('a', '')], connections: [] }, 'The `steps[0].key` field must not be empty.'],
    [
      'a key of 200 characters',
      { steps: [trigger('a', 'x'.repeat(200))], connections: [] },
      'The `steps[0].key` field must have at most 100 characters.',
    ],
    ['the former name of a key', { steps: [{ ref: 'start', type: 'trigger', config: {} }] }, 'Missing `steps[0].key` field.'],
    [
      'another type of step',
      { steps: [{ key: 'a', type: 'webhook', config: {} }] },
      'The `steps[0].type` field must be one of: `trigger`, `send_email`, `delay`, `wait_for_event`, `condition`, `contact_update`, `contact_delete`, `add_to_segment`. It is "webhook".',
    ],
    ['a step without configuration', { steps: [{ key: 'a', type: 'delay' }] }, 'Missing `steps[0].config` field.'],
    [
      'a configuration that is a list',
      { steps: [{ key: 'a', type: 'delay', config: [] }] },
      'The `steps[0].config` field must be an object.',
    ],
    ['a connection to no step', { connections: [{ from: 'start' }] }, 'Missing `connections[0].to` field.'],
    [
      'another type of connection',
      { connections: [{ from: 'start', to: 'wait', type: 'else' }] },
      'The `connections[0].type` field must be one of: `default`, `condition_met`, `condition_not_met`, `timeout`, `event_received`. It is "else".',
    ],
    [
      'a graph with a cycle',
      { connections: [connection('start', 'wait'), connection('wait', 'wait')] },
      'Step "wait": `connections[1]` leads from it to itself.',
    ],
    ['a step that waits for too long', chain([trigger(), delay('wait', '31 days')]), expect.stringMatching(/^Step "wait": /)],
    ['a character that cannot be stored', { name: 'a\0b' }, expect.stringContaining('`name`')],
  ])('refuses %s', async (_what, changes, message) => expect(await post(automationInput(changes))).toEqual(invalid(message)))

  it('refuses rules that are nested without end', async () => {
    let rule: object = { type: 'rule', field: 'event.a', operator: 'exists' }
    for (let depth = 0; depth < 100; depth += 1) rule = { type: 'and', rules: [rule] }
    const graph = chain([trigger(), { ...condition('if'), config: rule } as never])
    expect(await post(automationInput(graph))).toEqual(invalid('The request body is nested too deeply.'))
  })

  const email = (config: object) => chain([trigger(), { key: 'mail', type: 'send_email', config: config as never }])
  it.each<[string, () => Graph | Promise<Graph>, string]>([
    [
      'an unknown template',
      () => email({ template: { id: UNKNOWN_ID } }),
      'Step "mail": The `config.template.id` field is not the id or the alias of one of your templates.',
    ],
    [
      'an unknown alias',
      () => email({ template: { id: 'no-such-template' } }),
      'Step "mail": The `config.template.id` field is not the id or the alias of one of your templates.',
    ],
    [
      "another team's template",
      async () => email({ template: { id: await createTemplate(service, {}, { token: service.other.token }) } }),
      'Step "mail": The `config.template.id` field is not the id or the alias of one of your templates.',
    ],
    [
      'a draft',
      async () => email({ template: { id: await createTemplate(service) } }),
      'Step "mail": The `config.template.id` field names a draft. Publish the template first.',
    ],
    [
      'an unknown topic',
      async () => email({ template: { id: await publishedTemplate(service) }, topic_id: UNKNOWN_ID }),
      'Step "mail": The `config.topic_id` field is not the id of one of your topics.',
    ],
    [
      "another team's topic",
      async () => {
        const topic = { name: 'News', default_subscription: 'opt_in' }
        const topicId = await create(service, '/topics', topic, { token: service.other.token })
        return email({ template: { id: await publishedTemplate(service) }, topic_id: topicId })
      },
      'Step "mail": The `config.topic_id` field is not the id of one of your topics.',
    ],
    [
      'a reference to nothing',
      async () => email({ template: { id: await publishedTemplate(service), variables: { A: { var: 'contact.height' } } } }),
      'Step "mail": The `config.template.variables.A.var` field names a property that your contacts do not have: create it first with POST /contact-properties. Every contact has `contact.email`, `contact.first_name`, `contact.last_name`, `contact.unsubscribed`. It is "contact.height".',
    ],
    [
      'a reference to an event for which no step waits',
      async () => email({ template: { id: await publishedTemplate(service), variables: { A: { var: 'wait_events.order.paid.total' } } } }),
      'Step "mail": The `config.template.variables.A.var` field names an event that no step waits for. Write `wait_events.`, the name of the event, a dot and the name of the field. It is "wait_events.order.paid.total".',
    ],
    [
      'an unknown segment',
      () => chain([trigger(), { key: 'add', type: 'add_to_segment', config: { segment_id: UNKNOWN_ID } }]),
      'Step "add": The `config.segment_id` field is not the id of one of your segments.',
    ],
    [
      "another team's segment",
      async () => {
        const segmentId = await create(service, '/segments', { name: 'Others' }, { token: service.other.token })
        return chain([trigger(), { key: 'add', type: 'add_to_segment', config: { segment_id: segmentId } }])
      },
      'Step "add": The `config.segment_id` field is not the id of one of your segments.',
    ],
    [
      'a segment with a filter',
      async () => {
        const filter = { field: 'first_name', operator: 'is_set' }
        const segmentId = await create(service, '/segments', { name: 'Named', filter })
        return chain([trigger(), { key: 'add', type: 'add_to_segment', config: { segment_id: segmentId } }])
      },
      'Step "add": The `config.segment_id` field names a segment with a filter, which selects its contacts. Name a segment without one.',
    ],
    [
      'an unknown property',
      () => chain([trigger(), { key: 'mark', type: 'contact_update', config: { properties: { unheard: 'x' } } }]),
      'Step "mark": The `config.properties` field holds "unheard", which is not a property of your contacts: create it first with POST /contact-properties.',
    ],
    [
      'a rule about an unknown property',
      () => {
        const rules = [{ type: 'rule', field: 'contact.properties.unheard', operator: 'exists' } as const]
        return chain([trigger(), { key: 'if', type: 'condition', config: { type: 'or', rules } }])
      },
      'Step "if": The `config.rules[0].field` field names a property that your contacts do not have: create it first with POST /contact-properties. Every contact has `contact.email`, `contact.first_name`, `contact.last_name`, `contact.unsubscribed`. It is "contact.properties.unheard".',
    ],
    [
      'a value of the wrong type',
      async () => {
        await create(service, '/contact-properties', { key: 'seats', type: 'number' })
        return chain([trigger(), { key: 'mark', type: 'contact_update', config: { properties: { seats: 'many' } } }])
      },
      'Step "mark": The `config.properties.seats` field must be a number, like every value of this property.',
    ],
  ])('refuses %s', async (_what, graph, message) => expect(await post(automationInput(await graph()))).toEqual(invalid(message)))

  it('takes references to what there is', async () => {
    const templateId = await publishedTemplate(service)
    const variables = {
      A: { var: 'event.any.thing' },
      B: { var: 'contact.first_name' },
      C: { var: 'wait_events.order.paid.total' },
    }
    const steps = [
      trigger(),
      { key: 'wait', type: 'wait_for_event' as const, config: { event_name: 'order.paid' } },
      { key: 'mail', type: 'send_email' as const, config: { template: { id: templateId, variables } } },
    ]
    const connections = [connection('start', 'wait'), connection('wait', 'mail', 'event_received')]
    const id = await createAutomation(service, { steps, connections })
    expect(await read(id)).toEqual({ status: 200, body: automationRecord(id, { steps, connections }) })
  })

  it('refuses more automations than a team can have, and those that were deleted do not count', async () => {
    const { id: teamId, token } = await teamOf('Full')
    await service.database.execute(
      `insert into automations (id, team_id, name, status, class, reentry, trigger_event, version_id, created_at, updated_at, deleted_at)
       select gen_random_uuid(), $1, 'x', 'disabled', 'bulk', 'always', 'x', gen_random_uuid(), now(), now(), case when n > $2 then now() end
       from generate_series(1, $2 + 5) n`,
      [teamId, AUTOMATIONS_MAX - 1],
    )
    const id = await createAutomation(service, {}, { token })
    const full = invalid('A team can have at most 500 automations. Delete one first.')
    expect(outcome(await service.call('POST', '/automations', { body: automationInput(), token }))).toEqual(full)
    expect(outcome(await service.call('POST', `/automations/${id}/duplicate`, { token }))).toEqual(full)
  })
})
