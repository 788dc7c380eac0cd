import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addMembers, createBroadcast, doDue, readBroadcast } from '../../support/builders/broadcasts.ts'
import { addSegment } from '../../support/builders/contact-builders.ts'
import { type Seen, signIn, visit } from '../../support/clients/console-visitor.ts'
import { startTestService, type TestService } from '../../support/servers/service.ts'

const PAGE = '/console/broadcasts'

let service: TestService
let cookie: string
let segmentId: string
let id: string

beforeAll(async () => {
  service = await startTestService()
  cookie = await signIn(service)
  segmentId = await addSegment(service)
  await addMembers(service, segmentId, { 'ada@example.org': { first_name: 'Ada' } })
})
beforeEach(async () => {
  id = await createBroadcast(service, {
    segment_id: segmentId,
    name: 'November',
    subject: 'Hi {{{FIRST_NAME|you}}}',
    html: '<p>Hi {{{FIRST_NAME|you}}}</p>',
  })
})
afterAll(() => service.close())

const look = (path = '') => visit(service, 'GET', `${PAGE}${path}`, { cookie })
const post = (path: string, form: Record<string, string> = {}) => visit(service, 'POST', `${PAGE}${path}`, { cookie, form })

const actsOf = ({ text }: Seen) =>
  [...text.matchAll(/<button class="\w*">([^<]*)<\/button>/g)].flatMap(([, name = '']) => (ACTS.includes(name) ? [name] : []))
const ACTS = ['Send it now', 'Pause', 'Resume', 'Cancel']
const problemOf = ({ text }: Seen) => /<p class="wrong" id="problem"[^>]*>(.*?)<\/p>/s.exec(text)?.[1]

describe('the list of broadcasts', () => {
  it('shows those of the team with their states, and links to each', async () => {
    const seen = await look()
    expect(seen.status).toBe(200)
    expect(seen.text).toContain(`<th scope="row"><a href="${PAGE}/${id}">November</a></th>`)
    expect(seen.text).toContain('<span class="state pending">draft</span>')
    const other = await signIn(service, service.other.token)
    expect((await visit(service, 'GET', PAGE, { cookie: other })).text).toContain('No broadcasts yet')
  })
})

describe('the page of a broadcast', () => {
  it('shows it as a contact would get it, in a frame that loads nothing', async () => {
    expect((await look(`/${id}`)).text).toContain('<dt>Subject</dt><dd>Hi you</dd>')
    const seen = await look(`/${id}?contact=ada@example.org`)
    expect(seen.text).toContain('<dt>Subject</dt><dd>Hi Ada</dd>')
    const [, frame = ''] = /src="(\/console\/broadcasts\/[^"]*\/html[^"]*)"/.exec(seen.text) ?? []
    const shown = await visit(service, 'GET', frame, { cookie })
    expect(shown.text).toContain('<p>Hi Ada</p>')
    expect(shown.headers.get('content-security-policy')).toContain("default-src 'none'")
  })

  it('says when there is no such contact, or no such broadcast of the team', async () => {
    const seen = await look(`/${id}?contact=nobody@example.org`)
    expect({ status: seen.status, problem: problemOf(seen) }).toEqual({ status: 422, problem: 'No contact has this id or address.' })
    const other = await signIn(service, service.other.token)
    expect((await visit(service, 'GET', `${PAGE}/${id}`, { cookie: other })).status).toBe(404)
    expect((await look('/nowhere')).status).toBe(404)
  })

  it('offers what its state allows, and does it', async () => {
    expect(actsOf(await look(`/${id}`))).toEqual(['Send it now'])
    expect((await post(`/${id}/send`)).location).toBe(`${PAGE}/${id}?done=send`)
    expect(await readBroadcast(service, id)).toMatchObject({ status: 'queued' })
    expect(actsOf(await look(`/${id}`))).toEqual(['Pause', 'Cancel'])
    expect((await post(`/${id}/pause`)).location).toBe(`${PAGE}/${id}?done=pause`)
    expect(actsOf(await look(`/${id}`))).toEqual(['Resume', 'Cancel'])
    expect((await post(`/${id}/resume`)).location).toBe(`${PAGE}/${id}?done=resume`)
    expect((await post(`/${id}/cancel`)).location).toBe(`${PAGE}/${id}?done=cancel`)
    expect(actsOf(await look(`/${id}`))).toEqual([])
    const refused = await post(`/${id}/pause`)
    expect({ status: refused.status, problem: problemOf(refused) }).toEqual({
      status: 422,
      problem: 'This broadcast cannot be paused: its status is <code>canceled</code>, and it would have to be <code>queued</code>.',
    })
  })

  it('shows the funnel, and says when it has changed', async () => {
    await post(`/${id}/send`)
    const before = await look(`/${id}/progress`)
    expect(before.text).toContain('<div><dt>Recipients</dt><dd>0</dd>')
    await doDue(service)
    const progress = await visit(service, 'GET', `${PAGE}/${id}/progress`, {
      cookie,
      headers: { 'if-none-match': before.headers.get('etag') ?? '' },
    })
    expect(progress.text).toContain('<div><dt>Recipients</dt><dd>1</dd>')
    const same = await visit(service, 'GET', `${PAGE}/${id}/progress`, {
      cookie,
      headers: { 'if-none-match': progress.headers.get('etag') ?? '' },
    })
    expect(same.status).toBe(304)
  })

  it('sends a test', async () => {
    expect((await post(`/${id}/test`, { to: 'one@example.com, two@example.com', contact: 'ada@example.org' })).location).toBe(
      `${PAGE}/${id}?done=test`,
    )
    const { body } = await service.call('GET', '/emails?limit=2')
    expect((body as { data: { to: string[]; subject: string }[] }).data.map(({ to, subject }) => [to, subject])).toEqual([
      [['two@example.com'], 'Hi Ada'],
      [['one@example.com'], 'Hi Ada'],
    ])
    const refused = await post(`/${id}/test`, { to: 'nobody' })
    expect({ status: refused.status, problem: problemOf(refused) }).toEqual({
      status: 422,
      problem: expect.stringContaining('<code>to</code> field must be'),
    })
    expect(problemOf(await post(`/${id}/test`, { to: ' ' }))).toBe('The <code>to</code> field must not be empty.')
  })
})
