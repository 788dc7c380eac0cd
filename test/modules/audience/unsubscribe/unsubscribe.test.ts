import { beforeEach, describe, expect, it } from 'vitest'
import { TOPICS_MAX } from '../../../../src/modules/audience/topics/topics.schema.ts'
import {
  createContact,
  createPublicTopic,
  isUnsubscribed,
  linkTo,
  ONE_CLICK,
  type Page,
  storedDecisions,
  submit,
  subscriptions,
  switchesOf,
  toldOf,
  visitPage,
} from '../../../support/builders/topics.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

let contact: string
let email: string
let people = 0

const service = shared(() => startTestService({ environment: { TRUST_PROXY: '127.0.0.1' } }))
beforeEach(async () => {
  people += 1
  await service.database.execute('delete from topics')
  email = `ada${people}@example.com`
  contact = await createContact(service, email)
})

const open = (path: string, headers: Record<string, string> = {}) => visitPage(service, path, { headers })

describe('the page', () => {
  it('shows a masked address, the public topics and those the person has, as they are for this person', async () => {
    await createPublicTopic(service, { name: 'News <b>', description: 'Once a "month" & no more' })
    const tips = await createPublicTopic(service, { name: 'Tips', default_subscription: 'opt_out' })
    await createPublicTopic(service, { name: 'Offers', default_subscription: 'opt_out' })
    await createPublicTopic(service, { name: 'Insiders', visibility: 'private', default_subscription: 'opt_out' })
    const beta = await createPublicTopic(service, { name: 'Beta', visibility: 'private', default_subscription: 'opt_out' })
    const staff = await createPublicTopic(service, { name: 'Staff', visibility: 'private' })
    await createPublicTopic(service, { name: 'Everybody', visibility: 'private' })
    await service.call('PATCH', `/contacts/${contact}/topics`, {
      body: [
        { id: tips, subscription: 'opt_in' },
        { id: beta, subscription: 'opt_in' },
        { id: staff, subscription: 'opt_out' },
      ],
    })

    const page = await open(await linkTo(service, contact))

    expect(page.status).toBe(200)
    expect(switchesOf(page).map(({ name, isOn }) => ({ name, isOn }))).toEqual([
      { name: 'Beta', isOn: true },
      { name: 'Everybody', isOn: true },
      { name: 'News &lt;b&gt;', isOn: true },
      { name: 'Offers', isOn: false },
      { name: 'Tips', isOn: true },
    ])
    expect(page.text).toContain('Once a &quot;month&quot; &amp; no more')
    expect(page.text).toContain('a***@example.com')
    expect(page.text).not.toContain(email)
    expect(page.text).not.toMatch(/<script|Insiders|Staff/)
  })

  it('says who is writing, and so does the answer to one click', async () => {
    await service.service.context.repositories.teams.update(service.teamId, { name: 'Acme <Shoes>' })
    const path = await linkTo(service, contact)
    const sender = '<p class="sender">Mail from <strong><bdi>Acme &lt;Shoes&gt;</bdi></strong></p>'
    const senderIn = ({ text }: Page) => /<p class="sender">.*<\/p>/.exec(text)?.[0]
    expect(senderIn(await open(path))).toBe(sender)
    expect(senderIn(await open(path, { 'accept-language': 'de' }))).toBe(sender.replace('Mail from', 'E-Mails von'))
    expect(senderIn(await submit(service, path, ONE_CLICK))).toBe(sender)
    expect(senderIn(await open(path.slice(0, -1)))).toBeUndefined()
  })

  it('shows nothing of another team', async () => {
    const { body } = await service.call('POST', '/topics', {
      token: service.other.token,
      body: { name: 'Theirs', default_subscription: 'opt_in', visibility: 'public' },
    })
    expect(body).toMatchObject({ object: 'topic' })
    expect(switchesOf(await open(await linkTo(service, contact)))).toEqual([])
  })

  it.each(['GET', 'HEAD'])('changes nothing when it is opened by %s, however the address continues', async (method) => {
    const topic = await createPublicTopic(service, { name: 'News' })
    const path = await linkTo(service, contact, topic)
    const before = await storedDecisions(service)
    for (const query of ['', '?saved=1', '?saved=1&saved=2', '?act=unsubscribe', '?List-Unsubscribe=One-Click']) {
      expect((await visitPage(service, `${path}${query}`, { method })).status).toBe(200)
    }
    expect(await storedDecisions(service)).toEqual(before)
  })

  it('reads the domain of an address as people write it', async () => {
    const elsewhere = await createContact(service, 'zoe@bücher.example')
    expect((await open(await linkTo(service, elsewhere))).text).toContain('z***@bücher.example')
  })

  it.each([
    [undefined, 'en', 'Your email preferences'],
    ['de', 'de', 'Ihre E-Mail-Einstellungen'],
    ['de-AT,en;q=0.5', 'de', 'Ihre E-Mail-Einstellungen'],
    ['FR-ca', 'fr', 'Vos préférences d’abonnement'],
    ['en;q=0.3, es;q=0.8', 'es', 'Sus preferencias de correo'],
    ['ja, pt;q=0.9', 'en', 'Your email preferences'],
    ['de;q=0, *', 'en', 'Your email preferences'],
    [';;;,,q=x;q=y', 'en', 'Your email preferences'],
  ])('speaks to who asks for %s in %s', async (wanted, language, title) => {
    const page = await open(await linkTo(service, contact), wanted === undefined ? {} : { 'accept-language': wanted })
    expect(page.text).toContain(`<html lang="${language}">`)
    expect(page.text).toContain(`<h1>${title}</h1>`)
    expect(page.headers.get('content-language')).toBe(language)
    expect(page.headers.get('vary')).toContain('Accept-Language')
  })

  it.each([
    ['works', 200],
    ['does not work', 403],
    ['leads nowhere', 404],
  ])('runs nothing and is kept nowhere for a link that %s', async (_what, status) => {
    const path = status === 200 ? await linkTo(service, contact) : status === 403 ? '/unsubscribe/nonsense' : '/unsubscribe/a/b'
    const page = await open(path)
    expect(page.status).toBe(status)
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringMatching(
        /^default-src 'none'; style-src 'sha256-[\w+/=]+'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; sandbox allow-forms$/,
      ),
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
      'cache-control': 'private, no-store',
    })
    expect(page.text).toMatch(/^<!doctype html>/)
    expect(page.text).toContain('<meta name="robots" content="noindex">')
  })
})

describe('saving', () => {
  it('keeps what was switched, tells of what changed, and shows it with a confirmation', async () => {
    const news = await createPublicTopic(service, { name: 'News' })
    const offers = await createPublicTopic(service, { name: 'Offers', default_subscription: 'opt_out' })
    await createPublicTopic(service, { name: 'Tips' })
    const path = await linkTo(service, contact)
    const shown = Object.fromEntries(switchesOf(await open(path)).map(({ name, field }) => [name, field]))

    const answer = await submit(service, path, [
      [shown.News ?? '', 'off'],
      [shown.Offers ?? '', 'off'],
      [shown.Offers ?? '', 'on'],
      [shown.Tips ?? '', 'off'],
      [shown.Tips ?? '', 'on'],
      ['act', 'save'],
    ])

    expect({ status: answer.status, location: answer.location }).toEqual({ status: 303, location: `${path}?saved=1` })
    expect(await subscriptions(service, contact)).toEqual({ News: 'opt_out', Offers: 'opt_in', Tips: 'opt_in' })
    expect(await toldOf(service, contact)).toEqual([
      {
        type: 'contact.topics.updated',
        unsubscribed: null,
        topics: [
          { id: news, subscription: 'opt_out' },
          { id: offers, subscription: 'opt_in' },
        ],
      },
    ])
    const saved = await open(answer.location ?? '')
    expect(saved.text).toContain('<p class="saved" role="status">Your choice has been saved.</p>')
    expect(saved.text).toContain('<title>Your choice has been saved. Your email preferences</title>')
    expect(switchesOf(saved).map(({ name, isOn }) => [name, isOn])).toEqual([
      ['News', false],
      ['Offers', true],
      ['Tips', true],
    ])
  })

  it('leaves alone what was not on the page, and lets no one enter a private topic', async () => {
    const path = await linkTo(service, contact)
    await createPublicTopic(service, { name: 'News' })
    const shown = switchesOf(await open(path))
    await createPublicTopic(service, { name: 'Later', default_subscription: 'opt_in' })
    const closed = await createPublicTopic(service, { name: 'Closed', visibility: 'private', default_subscription: 'opt_out' })
    const field = Buffer.from(closed.replaceAll('-', ''), 'hex').toString('base64url')

    const answer = await submit(service, path, {
      [shown[0]?.field ?? '']: 'off',
      [field]: 'on',
      [closed]: 'on',
      __proto__x: 'on',
      act: 'save',
    })

    expect(answer.status).toBe(303)
    expect(await subscriptions(service, contact)).toEqual({ News: 'opt_out', Later: 'opt_in', Closed: 'opt_out' })
  })

  it('a second time tells nothing new', async () => {
    await createPublicTopic(service, { name: 'News' })
    const path = await linkTo(service, contact)
    const fields = { [switchesOf(await open(path))[0]?.field ?? '']: 'off', act: 'save' }
    const answers = await Promise.all([submit(service, path, fields), submit(service, path, fields), submit(service, path, fields)])
    expect(answers.map(({ status }) => status)).toEqual([303, 303, 303])
    expect(await toldOf(service, contact)).toHaveLength(1)
  })

  it('takes the switches of as many topics as a team may have', async () => {
    const names = Array.from({ length: TOPICS_MAX }, (_, index) => `Topic ${index}`)
    for (const name of names) await createPublicTopic(service, { name })
    const path = await linkTo(service, contact)
    const switches = switchesOf(await open(path))
    expect(switches).toHaveLength(TOPICS_MAX)
    const answer = await submit(service, path, [
      ...switches.flatMap(({ field }): [string, string][] => [
        [field, 'off'],
        [field, 'on'],
      ]),
      ['act', 'save'],
    ])
    expect(answer.status).toBe(303)
  })

  it('leaves someone unsubscribed who unsubscribed in another window', async () => {
    await createPublicTopic(service, { name: 'News' })
    const path = await linkTo(service, contact)
    const field = switchesOf(await open(path))[0]?.field ?? ''
    await submit(service, path, { act: 'unsubscribe' })
    await submit(service, path, { [field]: 'on', act: 'save' })
    expect(await isUnsubscribed(service, contact)).toBe(true)
  })
})

describe('a private topic that is switched off on the page', () => {
  /** Sends the switches of a page to the address of its form. Switches that are not named stay as they are. */
  async function save(page: Page, wanted: Record<string, boolean>): Promise<Page> {
    const fields = switchesOf(page).map(({ name, field, isOn }): [string, string] => [field, (wanted[name] ?? isOn) ? 'on' : 'off'])
    const answer = await submit(service, formOf(page), [...fields, ['act', 'save']])
    return open(answer.location ?? '')
  }
  const formOf = ({ text }: Page): string => /<form method="post" action="([^"]+)">/.exec(text)?.[1] ?? ''
  const shown = (page: Page) => Object.fromEntries(switchesOf(page).map(({ name, isOn }) => [name, isOn]))

  it('stays there, also when something else is saved next, and can be switched on again', async () => {
    await createPublicTopic(service, { name: 'News' })
    await createPublicTopic(service, { name: 'Staff', visibility: 'private' })

    const left = await save(await open(await linkTo(service, contact)), { Staff: false })
    expect(left.text).toContain('Your choice has been saved.')
    expect(shown(left)).toEqual({ News: true, Staff: false })
    const next = await save(left, { News: false })
    expect(shown(next)).toEqual({ News: false, Staff: false })
    expect(await subscriptions(service, contact)).toEqual({ News: 'opt_out', Staff: 'opt_out' })

    expect(shown(await save(next, { Staff: true }))).toEqual({ News: false, Staff: true })
    expect(await subscriptions(service, contact)).toEqual({ News: 'opt_out', Staff: 'opt_in' })
  })

  it('stays there when the form is sent twice, and over unsubscribing and coming back', async () => {
    await createPublicTopic(service, { name: 'Staff', visibility: 'private' })
    const page = await open(await linkTo(service, contact))
    const [first, second] = [await save(page, { Staff: false }), await save(page, { Staff: false })]
    expect([shown(first), shown(second)]).toEqual([{ Staff: false }, { Staff: false }])

    const left = await open((await submit(service, formOf(second), { act: 'unsubscribe' })).location ?? '')
    const back = await open((await submit(service, formOf(left), { act: 'subscribe' })).location ?? '')
    expect(shown(back)).toEqual({ Staff: false })
  })

  it('is shown to no one else: not to people who never had it, nor at the link of the mail', async () => {
    const staff = await createPublicTopic(service, { name: 'Staff', visibility: 'private' })
    const path = await linkTo(service, contact)
    await save(await open(path), { Staff: false })
    const outsider = await createContact(service, `no-${email}`, { topics: [{ id: staff, subscription: 'opt_out' }] })
    const theirs = await linkTo(service, outsider)
    for (const link of [path, theirs]) expect(shown(await open(link))).toEqual({})

    await submit(service, formOf(await open(theirs)), [
      [Buffer.from(staff.replaceAll('-', ''), 'hex').toString('base64url'), 'on'],
      ['act', 'save'],
    ])
    expect(await subscriptions(service, outsider)).toEqual({ Staff: 'opt_out' })
  })

  it('changes nothing about what one click is for: the topic of the link', async () => {
    const staff = await createPublicTopic(service, { name: 'Staff', visibility: 'private' })
    await createPublicTopic(service, { name: 'News' })
    const page = await open(await linkTo(service, contact, staff))
    expect((await submit(service, formOf(page), ONE_CLICK)).text).toContain('<h1>You are unsubscribed from this topic</h1>')
    expect(await subscriptions(service, contact)).toEqual({ News: 'opt_in', Staff: 'opt_out' })
    expect(await isUnsubscribed(service, contact)).toBe(false)
  })

  it('is one of 40 at most, so that links stay short enough to be opened', async () => {
    const names = Array.from({ length: TOPICS_MAX }, (_, index) => `Topic ${index}`)
    const ids: string[] = []
    for (const name of names) ids.push(await createPublicTopic(service, { name, visibility: 'private' }))
    const page = await open(await linkTo(service, contact, ids[0]))
    expect(switchesOf(page)).toHaveLength(TOPICS_MAX)
    const saved = await save(page, Object.fromEntries(names.map((name) => [name, false])))
    expect(saved.status).toBe(200)
    expect(switchesOf(saved)).toHaveLength(40)
  })
})

describe('unsubscribing from everything', () => {
  it('holds at once, says so, and offers the way back', async () => {
    await createPublicTopic(service, { name: 'News' })
    const path = await linkTo(service, contact)

    const left = await submit(service, path, { act: 'unsubscribe' })
    expect({ status: left.status, location: left.location }).toEqual({ status: 303, location: `${path}?saved=1` })
    expect(await isUnsubscribed(service, contact)).toBe(true)
    const page = await open(left.location ?? '')
    expect(page.text).toContain('<h1>You are unsubscribed</h1>')
    expect(page.text).toContain('Subscribe again')
    expect(switchesOf(page)).toEqual([])

    await submit(service, path, { act: 'subscribe' })
    expect(await isUnsubscribed(service, contact)).toBe(false)
    expect(switchesOf(await open(path)).map(({ name }) => name)).toEqual(['News'])
    expect(await toldOf(service, contact)).toEqual([
      { type: 'contact.updated', unsubscribed: true, topics: null },
      { type: 'contact.updated', unsubscribed: false, topics: null },
    ])
  })

  it('holds for who is deleted and created again, until that person subscribes again', async () => {
    await submit(service, await linkTo(service, contact), { act: 'unsubscribe' })
    await service.call('DELETE', `/contacts/${contact}`)
    const again = await createContact(service, email, { unsubscribed: false })
    expect(await isUnsubscribed(service, again)).toBe(true)

    await submit(service, await linkTo(service, again), { act: 'subscribe' })
    await service.call('DELETE', `/contacts/${again}`)
    expect(await isUnsubscribed(service, await createContact(service, email))).toBe(false)
  })
})
