// What the shop does by itself, and what came of it within three weeks.
import { createRunner, sendEvent } from '../builders/automations.ts'
import type { Customer } from './audience.ts'
import { at, moveTo } from './past.ts'
import { deliverDue, readMail } from './post-office.ts'
import { act, ago, type Team } from './team.ts'
import { ADA, PRODUCTS, pick, SHOP } from './words.ts'

type Step = { key: string; type: string; config: object }
/** `to`, or where it leads by the type of the connection. */
type Way = string | null | Readonly<Record<string, string>>

const FILLED_DAYS = 21
const STEPS_A_DAY = 2
/** Beyond the limit of an hour. */
const RUNAWAY_STARTS = 104

export async function fillAutomations(team: Team, customers: Customer[]): Promise<void> {
  const { ids, service, random } = team
  for (const { key, days, ...automation } of automationsOf(team))
    ids[`automation ${key}`] = await act(team, ['POST', '/automations'], {
      time: ago(team, { days }),
      by: 'Hanna Bergström',
      body: automation,
    })
  const runner = createRunner(service)
  const reachable = customers.filter(
    ({ email, since }) => email !== ADA.email && email.includes('a') && since < ago(team, { days: FILLED_DAYS }),
  )
  for (let step = FILLED_DAYS * STEPS_A_DAY; step > 0; step -= 1) {
    const time = ago(team, { days: step / STEPS_A_DAY - 0.04 })
    moveTo(time)
    for (const [event, share] of HAPPENINGS)
      if (random() < share) {
        const { name: product, price } = pick(PRODUCTS, random)
        const payload = {
          product,
          total: Math.round(price * (1 + random() * 4)),
          items: 1,
          order: String(49_000 + step),
          source: 'shop',
          is_gift: random() < 0.2,
        }
        await sendEvent(service, event, { email: pick(reachable, random).email, payload })
      }
    await runner.runAll()
    const delivered = await deliverDue(team)
    await readMail(team, delivered, { links: [`${SHOP.site}/shop`], openShare: 0.5, clickShare: 0.35, hours: 9, until: team.now })
  }
  await runAway(team, runner, reachable)
}

const HAPPENINGS: readonly (readonly [event: string, share: number])[] = [
  ...Array.from({ length: 2 }, () => ['account.created', 0.8] as const),
  ...Array.from({ length: 2 }, () => ['basket.abandoned', 0.7] as const),
  ...Array.from({ length: 3 }, () => ['order.placed', 0.7] as const),
  ['order.delivered', 0.5],
]

/** A program told of the same empty tin again and again. */
async function runAway(team: Team, runner: ReturnType<typeof createRunner>, [customer]: Customer[]): Promise<void> {
  const { service } = team
  await at(ago(team, { hours: 7 }), async () => {
    for (let sent = 0; sent < RUNAWAY_STARTS; sent += 52) {
      const events = Array.from({ length: 52 }, () => ({ event: 'tin.empty', email: customer?.email }))
      const { status, text } = await service.call('POST', '/events/send/batch', { body: events })
      if (status >= 300) throw new Error(text)
    }
    await runner.runAll()
  })
}

function automationsOf({ ids }: Team) {
  const mail = (key: string, template: string, variables: object = { NAME: { var: 'contact.first_name' } }): Step => ({
    ...{ key, type: 'send_email', config: { template: { id: ids[`template ${template}`], variables } } },
  })
  const product = { NAME: { var: 'contact.first_name' }, PRODUCT: { var: 'event.product' } }
  const wait = (key: string, duration: string): Step => ({ key, type: 'delay', config: { duration } })
  const event = (key: string, event_name: string, timeout: string): Step => ({
    key,
    type: 'wait_for_event',
    config: { event_name, timeout },
  })
  const rule = (key: string, field: string, operator: string, value?: unknown): Step => ({
    ...{ key, type: 'condition', config: { type: 'rule', field, operator, ...(value !== undefined && { value }) } },
  })
  const join = (key: string, segment: string): Step => ({ key, type: 'add_to_segment', config: { segment_id: ids[segment] } })
  const note = (key: string, properties: object): Step => ({ key, type: 'contact_update', config: { properties } })
  const start = (event_name: string): Step => ({ key: 'start', type: 'trigger', config: { event_name } })

  const automation = (key: string, days: number, name: string, ways: readonly (readonly [Step, Way])[], more: object = {}) => ({
    ...{ key, days, name, status: 'enabled', class: 'bulk', reentry: 'not_while_running' },
    ...more,
    steps: ways.map(([step]) => step),
    connections: ways.flatMap(([{ key: from }, way]) =>
      way === null ? [] : typeof way === 'string' ? [{ from, to: way }] : Object.entries(way).map(([type, to]) => ({ from, to, type })),
    ),
  })
  const either = (met: string, otherwise: string) => ({ condition_met: met, condition_not_met: otherwise })
  const comes = (received: string, timeout: string) => ({ event_received: received, timeout })

  return [
    automation('welcome', 70, 'Welcome series', [
      [start('account.created'), 'hello'],
      [mail('hello', 'welcome'), 'settle in'],
      [wait('settle in', '2 days'), 'bought'],
      [event('bought', 'order.placed', '1 day'), comes('newsletter', 'guide')],
      [mail('guide', 'guide'), 'newsletter'],
      [join('newsletter', 'newsletter'), null],
    ]),
    automation('basket', 52, 'Abandoned basket, with help for large ones', [
      [start('basket.abandoned'), 'has company'],
      [rule('has company', 'contact.properties.company', 'exists'), either('wholesale first', 'short pause')],
      [join('wholesale first', 'fair'), 'long pause'],
      [wait('long pause', '20 hours'), 'wholesale mail'],
      [mail('wholesale mail', 'basket help'), 'wholesale waits'],
      [event('wholesale waits', 'order.placed', '3 days'), comes('bought anyway', 'wholesale size')],
      [rule('wholesale size', 'event.total', 'gte', 200), either('second wholesale mail', 'remember')],
      [mail('second wholesale mail', 'basket', product), 'remember'],
      [wait('short pause', '1 hour'), 'large basket'],
      [rule('large basket', 'event.total', 'gte', 80), either('personal mail', 'plain mail')],
      [mail('personal mail', 'basket help'), 'opened it'],
      [mail('plain mail', 'basket', product), 'opened it'],
      [event('opened it', 'resend:email.opened', '1 day'), comes('clicked it', 'second try')],
      [event('clicked it', 'resend:email.clicked', '1 day'), comes('wait for the order', 'second try')],
      [wait('second try', '2 days'), 'regular'],
      [rule('regular', 'contact.properties.orders', 'gte', 5), either('mail for regulars', 'mail for others')],
      [mail('mail for regulars', 'reorder'), 'wait for the order'],
      [mail('mail for others', 'basket', product), 'wait for the order'],
      [event('wait for the order', 'order.placed', '5 days'), comes('bought anyway', 'remember')],
      [note('bought anyway', { favorite: 'Teapots' }), 'thank'],
      [mail('thank', 'care', product), 'remember'],
      [note('remember', { favorite: 'Black tea' }), null],
    ]),
    automation('care', 44, 'After the parcel', [
      [start('order.delivered'), 'let it arrive'],
      [wait('let it arrive', '3 days'), 'care'],
      [mail('care', 'care'), null],
    ]),
    automation(
      'reorder',
      30,
      'Reorder reminder',
      [
        [start('tin.empty'), 'ask'],
        [wait('ask', '6 hours'), null],
      ],
      { reentry: 'always' },
    ),
    automation(
      'winback',
      18,
      'Come back to us: six months without an order (draft, waits for the new texts)',
      [
        [start('order.placed'), 'half a year'],
        [wait('half a year', '30 days'), 'mail'],
        [mail('mail', 'reorder'), null],
      ],
      { status: 'disabled', max_runs_per_contact: 1 },
    ),
  ]
}
