// Templates of the shop, and the events that it tells of.
import { png } from '../builders/images.ts'
import { contentOf } from './shop-mail.ts'
import { act, ago, DAYS, type Team } from './team.ts'
import { SHOP } from './words.ts'

type Draft = {
  key: string
  name: string
  subject: string
  lines: string[]
  button: string
  path: string
  variables?: object[]
  from?: string
  isDraft?: true
}

const text = (key: string, fallback_value?: string) => ({ key, type: 'string', ...(fallback_value !== undefined && { fallback_value }) })

const TEMPLATES: readonly Draft[] = [
  {
    ...{ key: 'welcome', name: 'Welcome', subject: 'Welcome to Larkspur & Pine', button: 'Look around', path: '/shop' },
    lines: ['Dear {{{NAME}}},', 'we are glad that you are here. Larkspur & Pine is five people, two kilns and a lot of tea.'],
    variables: [text('NAME', 'reader')],
  },
  {
    ...{
      key: 'guide',
      name: 'Welcome, day 3: how to brew',
      subject: 'Two minutes or four? How to brew what you bought',
      button: 'Read the guide',
      path: '/journal/brewing',
    },
    lines: ['Dear {{{NAME}}},', 'water that is too hot makes green tea bitter. Here is what we do.'],
    variables: [text('NAME', 'reader')],
  },
  {
    ...{ key: 'basket', name: 'Basket reminder', subject: 'Your basket is still here', button: 'Back to the basket', path: '/basket' },
    lines: ['Dear {{{NAME}}},', 'you left {{{PRODUCT}}} in your basket. We keep it for you until Sunday.'],
    variables: [text('NAME', 'reader'), text('PRODUCT', 'something')],
  },
  {
    ...{
      key: 'basket help',
      name: 'Basket: can we help?',
      subject: 'Is there something that we can help with?',
      button: 'Ask us',
      path: '/contact',
    },
    lines: ['Dear {{{NAME}}},', 'sometimes a picture is not enough. Ask us anything about size, weight or glaze: a person answers.'],
    variables: [text('NAME', 'reader')],
  },
  {
    ...{ key: 'care', name: 'Care for stoneware', subject: 'How to care for {{{PRODUCT}}}', button: 'Read more', path: '/journal/care' },
    lines: ['Dear {{{NAME}}},', 'stoneware lasts for generations if it never goes from cold to hot at once.'],
    variables: [text('NAME', 'reader'), text('PRODUCT', 'your stoneware')],
  },
  {
    ...{ key: 'reorder', name: 'Time for more tea?', subject: 'Is your tin nearly empty?', button: 'Order again', path: '/orders/again' },
    lines: ['Dear {{{NAME}}},', 'a tin lasts most people six weeks. Yours may be nearly empty.'],
    variables: [text('NAME', 'reader')],
  },
  {
    ...{
      key: 'confirmation',
      name: 'Order confirmation (with price, delivery address and gift message)',
      subject: 'Your order {{{ORDER}}} is confirmed',
      button: 'See your order',
      path: '/orders',
    },
    lines: ['Thank you, {{{NAME}}}.', 'We are packing your order {{{ORDER}}} over €{{{TOTAL}}}.'],
    variables: [text('NAME', 'dear customer'), text('ORDER'), text('TOTAL')],
    from: SHOP.orders,
  },
  {
    ...{
      key: 'survey',
      name: 'Yearly survey',
      subject: 'Five questions, one cup of tea',
      button: 'Answer',
      path: '/survey',
      isDraft: true,
    },
    lines: ['Dear reader,', 'once a year we ask what we should do differently.'],
  },
]

const BY = 'Hanna Bergström'

export async function fillTemplates(team: Team): Promise<void> {
  for (const [index, { key, name, subject, variables, from = SHOP.hello, isDraft, path, ...content }] of TEMPLATES.entries()) {
    const time = ago(team, { days: DAYS - 6 - index * 7 })
    const id = await act(team, ['POST', '/templates'], {
      ...{ time, by: BY },
      body: {
        name,
        subject,
        from,
        alias: key.replaceAll(' ', '-'),
        variables: variables ?? [],
        ...contentOf(content, `${SHOP.site}${path}`),
      },
    })
    if (!isDraft) await act(team, ['POST', `/templates/${id}/publish`], { time: new Date(time.getTime() + 3_600_000), by: BY })
    team.ids[`template ${key}`] = id
  }
  await act(team, ['PATCH', `/templates/${team.ids['template care']}`], {
    ...{ time: ago(team, { days: 1.3 }), by: BY },
    body: { subject: 'Seven rules for {{{PRODUCT}}}' },
  })
  for (const [name, schema] of EVENTS)
    await act(team, ['POST', '/events'], { time: ago(team, { days: DAYS - 5 }), by: 'Tomasz Wiśniewski', body: { name, schema } })
}

const EVENTS = [
  ['account.created', { source: 'string' }],
  ['basket.abandoned', { product: 'string', total: 'number', items: 'number' }],
  ['order.placed', { order: 'string', total: 'number', is_gift: 'boolean', placed_at: 'date' }],
  ['order.delivered', { order: 'string' }],
  ['tin.empty', null],
] as const

const IMAGES = [
  ['teapot', 'Teapot in marsh glaze', { width: 480, height: 320 }],
  ['linen', 'Linen, spring colors', { width: 320, height: 480 }],
  ['logo', 'Larkspur & Pine', { width: 200, height: 64 }],
] as const

/** They are there to be chosen for mail in blocks. */
export async function storeImages(team: Team): Promise<void> {
  for (const [key, name, size] of IMAGES) {
    const body = { content: png(size).toString('base64'), name }
    team.ids[`image ${key}`] = await act(team, ['POST', '/images'], { time: ago(team, { days: 30 }), by: 'Hanna Bergström', body })
  }
}
