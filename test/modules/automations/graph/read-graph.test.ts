// Every graph that no run could go through is refused, with the step and the rule.
import { describe, expect, it } from 'vitest'
import { Failure } from '../../../../src/lib/failure.ts'
import { CONNECTION_TYPES, CONNECTIONS_OF, STEP_TYPES } from '../../../../src/modules/automations/graph/graph.ts'
import { type GraphInput, readGraph } from '../../../../src/modules/automations/graph/read-graph.ts'
import { chain, condition, connection, delay, trigger } from '../../../support/builders/automations.ts'

const SEGMENT_ID = '0193A5C2-7D4E-7B1A-9C3F-2E5D8A6B4C10'

/** What is wrong, as a sentence; null if nothing is. */
function problemOf(graph: unknown): string | null {
  try {
    readGraph(graph as GraphInput)
    return null
  } catch (error) {
    if (error instanceof Failure && error.kind === 'validation') return error.message
    throw error
  }
}

/** A graph of a trigger and one step with this configuration. */
const withStep = (type: string, config: unknown) => ({
  steps: [trigger(), { key: 'step', type, config }],
  connections: [{ from: 'start', to: 'step' }],
})

const rule = (changes: Record<string, unknown> = {}) => ({ type: 'rule', field: 'event.total', operator: 'eq', value: 1, ...changes })

function nested(levels: number): unknown {
  return levels === 1 ? rule() : { type: levels % 2 === 0 ? 'and' : 'or', rules: [nested(levels - 1)] }
}

describe('a graph', () => {
  it('is stored with what it says, and no more', () => {
    const graph = {
      steps: [
        { key: 'start', type: 'trigger', config: { event_name: 'order.paid' } },
        {
          key: 'mail',
          type: 'send_email',
          config: {
            template: {
              id: SEGMENT_ID,
              variables: { TOTAL: { var: 'event.total' }, GOODS: ['a', { b: 1 }], GIFT: true, PLACE: { city: 'x' } },
            },
            from: 'Acme <hello@example.com>',
            subject: 'Thank you',
            reply_to: null,
            topic_id: SEGMENT_ID,
          },
        },
        { key: 'wait', type: 'wait_for_event', config: { event_name: 'resend:email.opened', timeout: '3 days', filter_rule: rule() } },
        { key: 'forever', type: 'wait_for_event', config: { event_name: 'order.sent', timeout: null, filter_rule: null } },
        {
          key: 'big',
          type: 'condition',
          config: { type: 'and', rules: [rule({ value: null }), rule({ operator: 'exists', value: null })] },
        },
        {
          key: 'mark',
          type: 'contact_update',
          config: { first_name: null, last_name: { var: 'event.name' }, unsubscribed: false, properties: { plan: 'pro', seats: null } },
        },
        { key: 'add', type: 'add_to_segment', config: { segment_id: SEGMENT_ID } },
        { key: 'gone', type: 'contact_delete', config: {} },
      ],
      connections: [
        { from: 'start', to: 'mail', type: null },
        { from: 'mail', to: 'wait' },
        { from: 'wait', to: 'forever', type: 'event_received' },
        { from: 'wait', to: 'big', type: 'timeout' },
        { from: 'forever', to: 'big', type: 'event_received' },
        { from: 'big', to: 'mark', type: 'condition_met' },
        { from: 'mark', to: 'add', type: 'default' },
        { from: 'add', to: 'gone' },
      ],
    }
    expect(readGraph(graph as GraphInput)).toEqual({
      steps: [
        graph.steps[0],
        {
          key: 'mail',
          type: 'send_email',
          config: {
            template: {
              id: SEGMENT_ID.toLowerCase(),
              variables: { TOTAL: { var: 'event.total' }, GOODS: ['a', { b: 1 }], GIFT: true, PLACE: { city: 'x' } },
            },
            from: 'Acme <hello@example.com>',
            subject: 'Thank you',
            topic_id: SEGMENT_ID.toLowerCase(),
          },
        },
        graph.steps[2],
        { key: 'forever', type: 'wait_for_event', config: { event_name: 'order.sent' } },
        {
          key: 'big',
          type: 'condition',
          config: { type: 'and', rules: [rule({ value: null }), { type: 'rule', field: 'event.total', operator: 'exists' }] },
        },
        graph.steps[5],
        { key: 'add', type: 'add_to_segment', config: { segment_id: SEGMENT_ID.toLowerCase() } },
        graph.steps[7],
      ],
      connections: graph.connections.map(({ from, to, type }) => ({ from, to, type: type ?? 'default' })),
    })
  })

  it('can be a trigger alone', () => expect(problemOf({ steps: [trigger()], connections: [] })).toBeNull())

  it('can have branches that join, and one that ends', () => {
    const steps = [trigger(), condition('a'), delay('b'), condition('c'), delay('join')]
    const connections = [
      connection('start', 'a'),
      connection('a', 'b', 'condition_met'),
      connection('a', 'c', 'condition_not_met'),
      connection('b', 'join'),
      connection('c', 'join', 'condition_met'),
    ]
    expect(problemOf({ steps, connections })).toBeNull()
  })

  it('can have a step of which both branches lead to the same', () => {
    const connections = [connection('start', 'a'), connection('a', 'b', 'condition_met'), connection('a', 'b', 'condition_not_met')]
    expect(problemOf({ steps: [trigger(), condition('a'), delay('b')], connections })).toBeNull()
  })

  it('can have 150 steps', () =>
    expect(problemOf(chain([trigger(), ...Array.from({ length: 149 }, (_, index) => delay(`${index}`))]))).toBeNull())

  const two = [trigger(), delay('a')]
  it.each<[string, unknown, string]>([
    [
      'two steps of the same key',
      { steps: [trigger(), delay('a'), delay('a')], connections: [] },
      'Step "a": `steps[1]` has the same key. Each step needs a key of its own.',
    ],
    ['no trigger', chain([delay('a')]), 'The `steps` field must have a step of type `trigger`, which begins every run.'],
    [
      'two triggers',
      { steps: [trigger(), trigger('other', 'second')], connections: [] },
      'Step "second": it is a second trigger, after "start". An automation has exactly one.',
    ],
    [
      'a connection from nowhere',
      { steps: two, connections: [connection('nowhere', 'a')] },
      'The `connections[0].from` field is not the key of a step. It is "nowhere".',
    ],
    [
      'a connection to nowhere',
      { steps: two, connections: [connection('start', 'a'), connection('a', 'A')] },
      'The `connections[1].to` field is not the key of a step. It is "A".',
    ],
    [
      'a connection from a step to itself',
      { steps: two, connections: [connection('start', 'a'), connection('a', 'a')] },
      'Step "a": `connections[1]` leads from it to itself.',
    ],
    [
      'a connection to the trigger',
      { steps: two, connections: [connection('start', 'a'), connection('a', 'start')] },
      'Step "start": `connections[1]` leads to it, and nothing comes before a trigger.',
    ],
    [
      'a connection twice',
      { steps: two, connections: [connection('start', 'a'), connection('start', 'a')] },
      'Step "start": several connections of type `default` lead from it. A step has at most one of each type.',
    ],
    [
      'two connections of one type',
      { steps: [...two, delay('b')], connections: [connection('start', 'a'), connection('start', 'b')] },
      'Step "start": several connections of type `default` lead from it. A step has at most one of each type.',
    ],
    [
      'a timeout that never comes',
      {
        steps: [trigger(), { key: 'wait', type: 'wait_for_event', config: { event_name: 'order.paid' } }, delay('a')],
        connections: [connection('start', 'wait'), connection('wait', 'a', 'timeout')],
      },
      'Step "wait": a connection of type `timeout` leads from it, and its configuration has no `timeout`.',
    ],
    [
      'a step that nothing leads to',
      { steps: two, connections: [] },
      'Step "a": no connection leads to it from the trigger. Connect it, or remove it.',
    ],
    [
      'a cycle that is not reached',
      { steps: [...two, delay('b'), delay('c')], connections: [connection('start', 'a'), connection('b', 'c'), connection('c', 'b')] },
      'Step "b": connections lead from it back to it, through "c". Remove the loop: every path must end.',
    ],
    [
      'a cycle',
      {
        steps: [trigger(), delay('a'), condition('b'), delay('c')],
        connections: [connection('start', 'a'), connection('a', 'b'), connection('b', 'c', 'condition_met'), connection('c', 'a')],
      },
      'Step "a": connections lead from it back to it, through "c". Remove the loop: every path must end.',
    ],
    [
      'more than 256 KB',
      chain([
        trigger(),
        ...Array.from({ length: 28 }, (_, index) => ({
          key: `${index}`,
          type: 'send_email' as const,
          config: { template: { id: 'x', variables: { A: 'é'.repeat(5_000) } } },
        })),
      ]),
      'The `steps` and `connections` fields may have at most 256 KB together, as JSON.',
    ],
  ])('must not have %s', (_what, graph, sentence) => expect(problemOf(graph)).toBe(sentence))

  const CONFIGS: Record<string, unknown> = {
    send_email: { template: { id: 'welcome' } },
    delay: { duration: '1 day' },
    wait_for_event: { event_name: 'order.paid', timeout: '1 day' },
    condition: rule(),
    contact_update: { first_name: 'Ada' },
    contact_delete: {},
    add_to_segment: { segment_id: SEGMENT_ID },
  }
  it.each(STEP_TYPES.filter((type) => type !== 'trigger'))('has connections from a step of type %s only of its own types', (type) => {
    const refused = CONNECTION_TYPES.filter((connectionType) => {
      const steps = [trigger(), { key: 'step', type, config: CONFIGS[type] }, delay('end')]
      return problemOf({ steps, connections: [connection('start', 'step'), connection('step', 'end', connectionType)] }) !== null
    })
    expect(refused).toEqual(CONNECTION_TYPES.filter((each) => !CONNECTIONS_OF[type].includes(each)))
  })

  it('says which types of connection a step has', () =>
    expect(
      problemOf({ steps: [trigger(), condition('a'), delay('b')], connections: [connection('start', 'a'), connection('a', 'b')] }),
    ).toBe('Step "a": a connection of type `default` leads from it. A `condition` step has `condition_met` and `condition_not_met`.'))

  it('is judged in time, however many ways lead through it', () => {
    const keys = Array.from({ length: 149 }, (_, index) => `${index}`)
    const connections = [
      connection('start', '0'),
      ...keys.slice(1).map((key, index) => connection(`${index}`, key, 'condition_met')),
      ...keys.slice(2).map((key, index) => connection(`${index}`, key, 'condition_not_met')),
    ]
    expect(problemOf({ steps: [trigger(), ...keys.map(condition)], connections })).toBeNull()
  })
})

const DURATION = 'must be a duration of 1 second to 30 days, such as `30 minutes` or `3 days`.'

describe('a step', () => {
  it.each<[string, unknown, string]>([
    ['trigger', {}, 'Missing `config.event_name` field.'],
    ['trigger', { event_name: '' }, 'The `config.event_name` field must not be empty.'],
    ['trigger', { event_name: 'x'.repeat(1024 * 1024) }, 'The `config.event_name` field must have at most 100 characters.'],
    [
      'trigger',
      { event_name: 'resend:email.opened' },
      'The `config.event_name` field may not begin with `resend:`, which is reserved, and may not have the form of an id.',
    ],
    [
      'trigger',
      { event_name: SEGMENT_ID },
      'The `config.event_name` field may not begin with `resend:`, which is reserved, and may not have the form of an id.',
    ],
    [
      'trigger',
      { eventName: 'order.paid' },
      'The `config` field has the unknown field "eventName": the configuration of a `trigger` step has `event_name`.',
    ],
    ['delay', { duration: '0 minutes' }, `The \`config.duration\` field ${DURATION} It is "0 minutes".`],
    ['delay', { duration: '31 days' }, `The \`config.duration\` field ${DURATION} It is "31 days".`],
    ['delay', { duration: '30 days 1 second' }, `The \`config.duration\` field ${DURATION} It is "30 days 1 second".`],
    ['delay', { duration: 'soon' }, `The \`config.duration\` field ${DURATION} It is "soon".`],
    ['delay', { duration: '1e9 hours' }, `The \`config.duration\` field ${DURATION} It is "1e9 hours".`],
    ['delay', { duration: 3600 }, 'The `config.duration` field must be a string.'],
    ['delay', { duration: 'x'.repeat(101) }, 'The `config.duration` field must have at most 100 characters.'],
    ['delay', { seconds: 60 }, 'The `config` field has the unknown field "seconds": the configuration of a `delay` step has `duration`.'],
    ['wait_for_event', { event_name: 'order.paid', timeout: 'soon' }, `The \`config.timeout\` field ${DURATION} It is "soon".`],
    [
      'wait_for_event',
      { event_name: '0193a5c2-7d4e-7b1a-9c3f-2e5d8a6b4c10' },
      'The `config.event_name` field may not begin with `resend:`, which is reserved, and may not have the form of an id.',
    ],
    ['wait_for_event', { event_name: ' ' }, 'The `config.event_name` field must have at least one visible character.'],
    [
      'wait_for_event',
      { event_name: 'resend:email.sent' },
      'The `config.event_name` field must be one of your events, or one of: `resend:email.opened`, `resend:email.clicked`, `resend:email.bounced`, `resend:email.delivered`, `resend:email.complained`, `resend:email.failed`, `resend:email.suppressed`. It is "resend:email.sent".',
    ],
    [
      'wait_for_event',
      { event_name: 'order.paid', filter_rule: rule({ field: 'contact.email' }) },
      'The `config.filter_rule.field` field must begin with `event.`. It is "contact.email".',
    ],
    ['send_email', {}, 'Missing `config.template` field.'],
    ['send_email', { template: 'welcome' }, 'The `config.template` field must be an object.'],
    ['send_email', { template: { id: '' } }, 'The `config.template.id` field must not be empty.'],
    [
      'send_email',
      { template_id: 'welcome' },
      'The `config` field has the unknown field "template_id": the configuration of a `send_email` step has `template`, `from`, `subject`, `reply_to`, `topic_id`.',
    ],
    [
      'send_email',
      { template: { id: 'welcome', version: 3 } },
      'The `config` field has the unknown field "template.version": the configuration of a `send_email` step has `template`, `from`, `subject`, `reply_to`, `topic_id`.',
    ],
    [
      'send_email',
      { template: { id: 'x' }, from: 'nobody' },
      'The `config.from` field must be `name@example.com` or `Name <name@example.com>`. It is "nobody".',
    ],
    ['send_email', { template: { id: 'x' }, subject: 'a\nBcc: b' }, 'The `config.subject` field must be one line. It is "a\\nBcc: b".'],
    ['send_email', { template: { id: 'x' }, topic_id: 'x' }, 'The `config.topic_id` field must be a UUID. It is "x".'],
    [
      'send_email',
      { template: { id: 'x', variables: { A: { var: 'event.a', fallback: 'b' } } } },
      'The `config.template.variables.A` field must be a literal value, or a reference that has only `var`.',
    ],
    [
      'send_email',
      { template: { id: 'x', variables: { FIRST_NAME: 'Ada' } } },
      'The `config.template.variables.FIRST_NAME` field must be left out: this name is reserved for a field of contacts.',
    ],
    ['condition', {}, 'Missing `config.type` field.'],
    ['condition', rule({ type: 'not' }), 'The `config.type` field must be one of: `rule`, `and`, `or`. It is "not".'],
    ['condition', { type: 'and', rules: [] }, 'The `config.rules` field must not be empty.'],
    ['condition', { type: 'and' }, 'Missing `config.rules` field.'],
    ['condition', { type: 'or', rules: [rule(), 'x'] }, 'The `config.rules[1]` field must be a rule, which is an object. It is "x".'],
    [
      'condition',
      { ...rule(), rules: [] },
      'The `config` field has an unknown field: a rule of type `rule` has `type`, `field`, `operator`, `value`. It is "rules".',
    ],
    ['condition', rule({ field: 'total' }), 'The `config.field` field must begin with `event.` or `contact.`. It is "total".'],
    ['condition', rule({ field: 'event.' }), 'The `config.field` field must begin with `event.` or `contact.`. It is "event.".'],
    ['condition', rule({ field: null }), 'Missing `config.field` field.'],
    [
      'condition',
      rule({ operator: 'equals' }),
      'The `config.operator` field must be one of: `eq`, `neq`, `gt`, `gte`, `lt`, `lte`, `contains`, `starts_with`, `ends_with`, `exists`, `is_empty`. It is "equals".',
    ],
    ['condition', rule({ value: undefined }), 'Missing `config.value` field.'],
    ['condition', rule({ value: {} }), 'The `config.value` field must be a string, a number, true, false or null.'],
    ['condition', rule({ value: Infinity }), 'The `config.value` field must be a number of at most 1.7976931348623157e+308.'],
    ['condition', rule({ value: 'x'.repeat(1_001) }), 'The `config.value` field must have at most 1000 characters.'],
    [
      'condition',
      rule({ operator: 'gt', value: 'many' }),
      'The `config.value` field must be a number, or a time in ISO 8601 such as `2026-11-20T09:30:00Z`. It is "many".',
    ],
    ['condition', rule({ operator: 'contains', value: 1 }), 'The `config.value` field must be a string. It is 1.'],
    ['condition', rule({ operator: 'exists', value: 1 }), 'The `config.value` field must be left out: `exists` takes none. It is 1.'],
    ['condition', nested(21), 'The `config` field may have at most 20 rules within one another.'],
    [
      'condition',
      { type: 'or', rules: Array.from({ length: 1_001 }, () => rule()) },
      'The `config` field may have at most 1,000 rules that test something.',
    ],
    ['contact_update', {}, 'The `config` field must have at least one field to change.'],
    ['contact_update', { properties: {} }, 'The `config` field must have at least one field to change.'],
    ['contact_update', { first_name: 3 }, 'The `config.first_name` field must be a string or an object.'],
    ['contact_update', { first_name: 'x'.repeat(257) }, 'The `config.first_name` field must have at most 256 characters.'],
    [
      'contact_update',
      { properties: { plan: 'x'.repeat(1_001) } },
      'The `config.properties.plan` field must have at most 1000 characters.',
    ],
    [
      'contact_update',
      { properties: { account: 2 ** 53 } },
      'The `config.properties.account` field holds a number beyond 2^53, which would be rounded. Send it as a string.',
    ],
    ['contact_update', { last_name: { var: '' } }, 'The `config.last_name.var` field must not be empty.'],
    [
      'contact_update',
      { firstName: 'Ada' },
      'The `config` field has the unknown field "firstName": the configuration of a `contact_update` step has `first_name`, `last_name`, `unsubscribed`, `properties`.',
    ],
    [
      'contact_delete',
      { id: SEGMENT_ID },
      'The `config` field has the unknown field "id": the configuration of a `contact_delete` step must be empty.',
    ],
    ['add_to_segment', { segment_id: 'x' }, 'The `config.segment_id` field must be a UUID. It is "x".'],
  ])('of type %s is refused with %j', (type, config, sentence) => {
    if (type === 'trigger') expect(problemOf({ steps: [{ key: 'step', type, config }], connections: [] })).toBe(`Step "step": ${sentence}`)
    else expect(problemOf(withStep(type, config))).toBe(`Step "step": ${sentence}`)
  })

  it.each<[string, unknown]>([
    ['condition', nested(20)],
    ['condition', { type: 'or', rules: Array.from({ length: 1_000 }, () => rule()) }],
    ['condition', rule({ operator: 'lt', value: '2026-11-20' })],
    ['delay', { duration: '30 days' }],
    ['delay', { duration: '1h 30m' }],
    ['wait_for_event', { event_name: 'a/b%2F..c' }],
    ['send_email', { template: { id: 'x', variables: { A: { var: 'event.a' } } }, reply_to: 'Bea <b@example.com>' }],
  ])('of type %s can have %j', (type, config) => expect(problemOf(withStep(type, config))).toBeNull())
})
