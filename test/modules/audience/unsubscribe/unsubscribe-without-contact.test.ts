// The page of an address that is not a contact, or no longer one: mail with a topic reaches it nevertheless.
import { beforeEach, describe, expect, it } from 'vitest'
import { createId } from '../../../../src/lib/ids.ts'
import {
  createContact,
  createPublicTopic,
  isUnsubscribed,
  linkTo,
  type Page,
  storedDecisions,
  submit,
  subscriptions,
  switchesOf,
  visitPage,
} from '../../../support/builders/topics.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

let email: string
let path: string
let news: string
let offers: string
let people = 0

const service = shared(() => startTestService())
beforeEach(async () => {
  people += 1
  await service.database.execute('delete from topics')
  email = `stranger${people}@example.com`
  path = await linkTo(service, email)
  news = await createPublicTopic(service, { name: 'News' })
  offers = await createPublicTopic(service, { name: 'Offers', default_subscription: 'opt_out' })
})

const open = (link = path) => visitPage(service, link)
const shown = (page: Page) => Object.fromEntries(switchesOf(page).map(({ name, isOn }) => [name, isOn]))
const formOf = ({ text }: Page): string => /<form method="post" action="([^"]+)">/.exec(text)?.[1] ?? ''

/** Sends the switches of a page as a browser does, with the wanted changes, and returns the page that follows. */
async function save(page: Page, wanted: Record<string, boolean>): Promise<Page> {
  const fields = switchesOf(page).map(({ name, field, isOn }): [string, string] => [field, (wanted[name] ?? isOn) ? 'on' : 'off'])
  const { status, location } = await submit(service, formOf(page), [...fields, ['act', 'save']])
  expect(status).toBe(303)
  return open(location ?? '')
}

/** Why mail of a topic does not reach the address; undefined if it does. */
async function refusalOf(topicId: string): Promise<string | undefined> {
  const { repositories, hashAddress } = service.service.context
  const { teamId } = service
  const recipient = { id: createId(), teamId, topicId, email, addressHash: hashAddress(teamId, email) }
  return (await repositories.topicRefusals.findAcrossTeams([recipient])).get(recipient.id)
}

describe('the page of an address without a contact', () => {
  it('shows the topics whose mail reaches it, and neither an address nor what only contacts can ask for', async () => {
    await createPublicTopic(service, { name: 'Everybody', visibility: 'private' })
    await createPublicTopic(service, { name: 'Insiders', visibility: 'private', default_subscription: 'opt_out' })
    const before = await storedDecisions(service)
    const page = await open()
    expect(page.status).toBe(200)
    expect(page.text).toContain('<h1>Your email preferences</h1>')
    expect(shown(page)).toEqual({ Everybody: true, News: true })
    expect(page.text).not.toContain('Email address')
    expect([await refusalOf(news), await refusalOf(offers)]).toEqual([undefined, 'not opted in'])
    expect(await storedDecisions(service)).toEqual(before)
  })

  it('keeps what is switched off: no mail of it comes, nor when the address becomes a contact', async () => {
    const left = await save(await open(), { News: false })
    expect(left.text).toContain('Your choice has been saved.')
    expect(shown(left)).toEqual({ News: false })
    expect(shown(await open())).toEqual({ News: false })
    expect(await refusalOf(news)).toBe('opted out')
    expect(await subscriptions(service, await createContact(service, email))).toMatchObject({ News: 'opt_out' })
  })

  it('forgets what was switched off when it is switched on again', async () => {
    const back = await save(await save(await open(), { News: false }), { News: true })
    expect(back.text).toContain('Your choice has been saved.')
    expect(shown(back)).toEqual({ News: true })
    expect(await refusalOf(news)).toBeUndefined()
    expect(await subscriptions(service, await createContact(service, email))).toMatchObject({ News: 'opt_in' })
  })

  it('keeps a private topic in sight that is switched off, and lets no one else see it', async () => {
    await createPublicTopic(service, { name: 'Everybody', visibility: 'private' })
    const left = await save(await open(), { Everybody: false })
    expect(shown(left)).toEqual({ Everybody: false, News: true })
    expect(shown(await open())).toEqual({ News: true })
    expect(shown(await save(left, { Everybody: true }))).toEqual({ Everybody: true, News: true })
  })

  it('lets the person leave everything and come back', async () => {
    const left = await open((await submit(service, path, { act: 'unsubscribe' })).location ?? '')
    expect(left.text).toContain('<h1>You are unsubscribed</h1>')
    expect(left.text).toContain('Subscribe again')
    expect(switchesOf(left)).toEqual([])
    expect(await refusalOf(news)).toBe('unsubscribed')

    const back = await open((await submit(service, path, { act: 'subscribe' })).location ?? '')
    expect(back.text).toContain('Your choice has been saved.')
    expect(shown(back)).toEqual({ News: true })
    expect(await refusalOf(news)).toBeUndefined()
    expect(await isUnsubscribed(service, await createContact(service, email))).toBe(false)
  })

  it('is that of one team alone', async () => {
    await submit(service, path, { act: 'unsubscribe' })
    const { body } = await service.call('GET', `/contacts/${email}/unsubscribe-link`, { token: service.other.token })
    const theirs = await open(new URL((body as { url: string }).url).pathname)
    expect(theirs.text).toContain('<h1>Your email preferences</h1>')
    expect(shown(theirs)).toEqual({})
  })
})

describe('a page whose contact is deleted before it is saved', () => {
  it('keeps what was switched off', async () => {
    const contact = await createContact(service, email)
    const page = await open()
    expect(shown(page)).toEqual({ News: true, Offers: false })
    await service.call('DELETE', `/contacts/${contact}`)
    const saved = await save(page, { News: false })
    expect(saved.text).toContain('Your choice has been saved.')
    expect(shown(saved)).toEqual({ News: false })
    expect(await refusalOf(news)).toBe('opted out')
  })

  it('keeps it also of topics that only contacts can ask for, public or private', async () => {
    const insiders = await createPublicTopic(service, { name: 'Insiders', visibility: 'private', default_subscription: 'opt_out' })
    const topics = [offers, insiders].map((id) => ({ id, subscription: 'opt_in' }))
    const contact = await createContact(service, email, { topics })
    const page = await open()
    expect(shown(page)).toEqual({ Insiders: true, News: true, Offers: true })
    await service.call('DELETE', `/contacts/${contact}`)
    const saved = await save(page, { Insiders: false, Offers: false })
    expect(saved.text).toContain('Your choice has been saved.')
    expect(shown(saved)).toEqual({ News: true })
    expect(await subscriptions(service, await createContact(service, email, { topics }))).toMatchObject({
      Insiders: 'opt_out',
      Offers: 'opt_out',
    })
  })

  it('does not say that it is saved what is no longer there', async () => {
    const contact = await createContact(service, email)
    const page = await open()
    await service.call('DELETE', `/contacts/${contact}`)
    const saved = await save(page, { News: false, Offers: true })
    expect(saved.text).not.toContain('Your choice has been saved.')
    expect(shown(saved)).toEqual({ News: false })
  })
})
