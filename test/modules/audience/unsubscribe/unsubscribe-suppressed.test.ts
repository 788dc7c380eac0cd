import { beforeEach, expect, it } from 'vitest'
import { addSuppressions } from '../../../../src/modules/suppressions/suppression-changes.repository.ts'
import type { SuppressionOrigin } from '../../../../src/modules/suppressions/suppressions.schema.ts'
import { createContact, isUnsubscribed, linkTo, submit, visitPage } from '../../../support/builders/topics.ts'
import { shared, startTestService } from '../../../support/servers/service.ts'

let contact: string
let path: string

const service = shared(() => startTestService())
beforeEach(async () => {
  await service.database.execute('truncate contacts, suppressions, notifications')
  contact = await createContact(service, 'ada@example.com')
  path = await linkTo(service, contact)
})

const suppress = (origin: SuppressionOrigin, teamId = service.teamId) =>
  service.database.transaction((inside) =>
    addSuppressions(inside, [{ teamId, email: 'ada@example.com', origin, sourceId: null }], new Date()),
  )

const listed = () => service.database.execute('select team_id, origin from suppressions')
const removals = () => service.database.execute(`select data->'origin' as origin from notifications where type = 'suppression.removed'`)
const titleOf = async () => /<h1>([^<]*)/.exec((await visitPage(service, path)).text)?.[1]

it.each(['complaint', 'manual'] as const)(
  'shows a person whose suppression is a %s as unsubscribed, and lifts it by no form: anyone who has the mail has the link',
  async (origin) => {
    await suppress(origin)
    expect(await titleOf()).toBe('You are unsubscribed')
    expect((await visitPage(service, path)).text).not.toContain('<form')

    expect((await submit(service, path, { act: 'subscribe' })).status).toBe(303)
    expect(await listed()).toEqual([{ team_id: service.teamId, origin }])
    expect(await removals()).toEqual([])
    expect(await titleOf()).toBe('You are unsubscribed')
  },
)

it('takes an opt-out back beside a suppression, which stays', async () => {
  await submit(service, path, { act: 'unsubscribe' })
  await suppress('complaint')
  await submit(service, path, { act: 'subscribe' })
  expect({ listed: await listed(), isUnsubscribed: await isUnsubscribed(service, contact) }).toEqual({
    listed: [{ team_id: service.teamId, origin: 'complaint' }],
    isUnsubscribed: false,
  })
})

it('does not lift a suppression after a bounce, and says nothing of it', async () => {
  await suppress('bounce')
  expect(await titleOf()).toBe('Your email preferences')
  await submit(service, path, { act: 'subscribe' })
  expect(await listed()).toEqual([{ team_id: service.teamId, origin: 'bounce' }])
})

it.each([{ act: 'save' }, { act: 'unsubscribe' }, { 'List-Unsubscribe': 'One-Click' }])('lifts nothing with %j', async (form) => {
  await suppress('complaint')
  await submit(service, path, form)
  expect(await listed()).toHaveLength(1)
})
