// What a team says of itself in its broadcasts: {{{TEAM_NAME}}}, {{{TEAM_COLOR}}}.
import { expect, it } from 'vitest'
import { addMembers, createBroadcast, doDue, emailsOf } from '../../support/builders/broadcasts.ts'
import { addSegment } from '../../support/builders/contacts.ts'
import { png, storeImage } from '../../support/builders/images.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const service = shared(() => startTestService({ environment: { SMTP_RELAY_URL: 'smtp://127.0.0.1:1' } }))

const SUBJECT = 'News of {{{TEAM_NAME|a friend}}}'
const HTML = '<p style="color: {{{TEAM_COLOR|#333333}}}">{{{TEAM_NAME}}}</p>'

async function sent(people: Record<string, Record<string, unknown>>, fields: Record<string, unknown> = {}): Promise<string> {
  const segmentId = await addSegment(service)
  await addMembers(service, segmentId, people)
  const id = await createBroadcast(service, { segment_id: segmentId, subject: SUBJECT, html: HTML, send: true, ...fields })
  await doDue(service)
  return id
}

const shownTo = async (id: string) => {
  const [email] = await emailsOf(service, id)
  const { body } = await service.call('GET', `/emails/${email?.id}`)
  return { subject: email?.subject, mergeValues: email?.mergeValues, html: (body as { html: string }).html }
}

const update = (body: object) => service.call('PATCH', '/team', { body })

it('is filled in for everyone, escaped, and stays what it was when the team changes', async () => {
  await update({ name: 'Bread & Co <b>', color: '#1D4FC4' })
  const id = await sent({ 'ada@example.org': {} })
  const first = {
    subject: 'News of Bread & Co <b>',
    mergeValues: {},
    html: '<p style="color: #1d4fc4">Bread &amp; Co &lt;b&gt;</p>',
  }
  expect(await shownTo(id)).toEqual(first)
  await update({ name: 'Cake', color: null })
  expect(await shownTo(id)).toEqual(first)
  expect(await shownTo(await sent({ 'bob@example.org': {} }))).toEqual({
    ...{ subject: 'News of Cake', mergeValues: {}, html: '<p style="color: #333333">Cake</p>' },
  })
})

it('gives way to a property of that name', async () => {
  await update({ name: 'Cake' })
  await service.call('POST', '/contact-properties', { body: { key: 'team_name', type: 'string', fallback_value: 'no team' } })
  const id = await sent({ 'eve@example.org': { properties: { team_name: 'The Reds' } } })
  expect(await shownTo(id)).toMatchObject({ subject: 'News of The Reds', html: '<p style="color: #333333">The Reds</p>' })
})

it('has the address of the logo, which counts as a use of that image', async () => {
  const [logo, other] = [await storeImage(service, png()), await storeImage(service, png())]
  const usesOf = async ({ id }: { id: string }) =>
    ((await service.call('GET', `/images/${id}`)).body as { sent_broadcasts: number }).sent_broadcasts
  await update({ logo_id: logo.id })
  const html = `<img src="{{{TEAM_LOGO_URL}}}" alt=""><img src="${other.url}" alt="">`
  await createBroadcast(service, { segment_id: await addSegment(service), html })
  expect([await usesOf(logo), await usesOf(other)]).toEqual([0, 0])

  const first = await sent({ 'max@example.org': {} }, { html })
  expect(await shownTo(first)).toMatchObject({ html: `<img src="${logo.url}" alt=""><img src="${other.url}" alt="">` })
  await sent({ 'moritz@example.org': {} }, { html: '<p>x</p>', text: other.url })
  expect([await usesOf(logo), await usesOf(other)]).toEqual([1, 2])
  expect(await service.call('DELETE', `/images/${other.id}`)).toMatchObject({ status: 200, body: { sent_broadcasts: 2 } })
})
