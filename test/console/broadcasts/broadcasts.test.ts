import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { addMembers, createBroadcast, doDue, emailsOf, readBroadcast } from '../../support/builders/broadcasts.ts'
import { addSegment } from '../../support/builders/contacts.ts'
import { type Seen, signIn, visit } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const PAGE = '/console/broadcasts'

let cookie: string
let segmentId: string
let id: string

const service = shared(() => startTestService())
beforeAll(async () => {
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

const look = (path = '') => visit(service, 'GET', `${PAGE}${path}`, { cookie })
const post = (path: string, form: Record<string, string> = {}) => visit(service, 'POST', `${PAGE}${path}`, { cookie, form })

const actsOf = ({ text }: Seen) =>
  [...text.matchAll(/<button class="\w*">([^<]*)<\/button>/g)].flatMap(([, name = '']) => (ACTS.includes(name) ? [name] : []))
const ACTS = ['Send it now', 'Pause', 'Resume', 'Cancel the broadcast']
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
  it('offers no sending to a segment that was deleted', async () => {
    const gone = await addSegment(service)
    const draft = await createBroadcast(service, { segment_id: gone, name: 'To no one' })
    expect(actsOf(await look(`/${draft}`))).toContain('Send it now')
    await service.call('DELETE', `/segments/${gone}`)
    const seen = await look(`/${draft}`)
    expect(actsOf(seen)).not.toContain('Send it now')
    expect(seen.text).toContain(`The segment was deleted, so the broadcast has no recipients. <a href="${PAGE}/${draft}/edit">`)
    expect(seen.text).not.toContain('Every contact')
  })

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
    // Only after a question.
    expect((await look(`/${id}`)).text).toMatch(
      /<details id="send"><summary>Send …<\/summary>\n<p>Every contact of .*Send it now<\/button><\/form><\/details>/s,
    )
    expect((await post(`/${id}/send`)).location).toBe(`${PAGE}/${id}?done=send`)
    expect(await readBroadcast(service, id)).toMatchObject({ status: 'queued' })
    expect(actsOf(await look(`/${id}`))).toEqual(['Pause', 'Cancel the broadcast'])
    expect((await post(`/${id}/pause`)).location).toBe(`${PAGE}/${id}?done=pause`)
    expect(actsOf(await look(`/${id}`))).toEqual(['Resume', 'Cancel the broadcast'])
    expect((await post(`/${id}/resume`)).location).toBe(`${PAGE}/${id}?done=resume`)
    expect((await post(`/${id}/cancel`)).location).toBe(`${PAGE}/${id}?done=cancel`)
    expect(actsOf(await look(`/${id}`))).toEqual([])
    const refused = await post(`/${id}/pause`)
    expect({ status: refused.status, problem: problemOf(refused) }).toEqual({
      status: 422,
      problem: 'This broadcast cannot be paused: its status is <code>canceled</code>, and must be <code>queued</code>.',
    })
  })

  it('wakes those who make the emails at once, whatever is done', async () => {
    const waking = vi.spyOn(service.service.context, 'wakeWorkers')
    for (const act of ['send', 'pause', 'resume', 'cancel']) {
      waking.mockClear()
      expect((await post(`/${id}/${act}`)).status).toBe(303)
      expect(waking.mock.calls).toEqual([['broadcasts']])
    }
    waking.mockClear()
    expect((await post(`/${id}/pause`)).status).toBe(422)
    expect(waking).not.toHaveBeenCalled()
    waking.mockRestore()
  })

  it('shows the funnel, and says when it has changed', async () => {
    await post(`/${id}/send`)
    const before = await look(`/${id}/progress`)
    expect(before.text).toContain('<div><dt>Recipients so far</dt><dd>0</dd>')
    await doDue(service)
    const progress = await visit(service, 'GET', `${PAGE}/${id}/progress`, {
      cookie,
      headers: { 'if-none-match': before.headers.get('etag') ?? '' },
    })
    expect(progress.text).toContain('<div><dt>Recipients so far</dt><dd>1</dd>')
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

describe('writing a broadcast', () => {
  const typed = () => ({
    ...{ name: 'December', segment_id: segmentId, topic_id: '', from: 'Acme <hello@example.com>' },
    subject: 'Hi',
    html: '<p>\r\nHi</p>',
  })

  it('makes a draft of what was typed, and changes it', async () => {
    expect((await look('/new')).text).toContain(`<option value="${segmentId}">`)
    const { location } = await post('', { ...typed(), reply_to: 'a@example.com, b@example.com', text: ' ' })
    const [, created = ''] = /^\/console\/broadcasts\/([\w-]+)\?done=saved$/.exec(location ?? '') ?? []
    const draft = { name: 'December', segment_id: segmentId, reply_to: 'a@example.com, b@example.com', html: '<p>\nHi</p>', text: null }
    expect(await readBroadcast(service, created)).toMatchObject({ status: 'draft', ...draft })
    const edit = await look(`/${created}/edit`)
    expect(edit.text).toContain('value="a@example.com, b@example.com"')
    expect((await post(`/${created}/edit`, { ...typed(), subject: 'Hello' })).location).toBe(`${PAGE}/${created}?done=saved`)
    expect(await readBroadcast(service, created)).toMatchObject({ ...draft, subject: 'Hello', reply_to: null })
    expect((await look(`/${created}`)).text).toContain(`href="${PAGE}/${created}/edit"`)
  })

  it('says what is wrong, and keeps what was typed', async () => {
    const refused = await post('', { ...typed(), from: 'nobody', subject: 'Kept' })
    expect({ status: refused.status, problem: problemOf(refused) }).toEqual({
      status: 422,
      problem: expect.stringContaining('<code>from</code> field must be'),
    })
    expect(refused.text).toContain('value="Kept"')
    expect((await post(`/${id}/edit`, { ...typed(), html: '' })).status).toBe(422)
  })

  it('takes a pace, also with grouped thousands, and keeps one that it is not asked about', async () => {
    const { location } = await post('', { ...typed(), rate_per_hour: ' 10,000 ' })
    const [, made = ''] = /([\w-]+)\?done=saved$/.exec(location ?? '') ?? []
    const paceAfter = async (form: Record<string, string>) => {
      await post(`/${made}/edit`, { ...typed(), ...form })
      return (await readBroadcast(service, made)).rate_per_hour
    }
    expect((await look(`/${made}/edit`)).text).toContain('name="rate_per_hour" value="10000"')
    expect([await paceAfter({}), await paceAfter({ rate_per_hour: '60' }), await paceAfter({ rate_per_hour: '' })]).toEqual([
      10_000,
      60,
      null,
    ])
    for (const wrong of ['1.5', '1,5', '0', '-1', 'fast', '1e3']) {
      const refused = await post('', { ...typed(), rate_per_hour: wrong })
      expect({ wrong, problem: problemOf(refused) }).toEqual({
        wrong,
        problem: expect.stringContaining('<code>rate_per_hour</code> field must be'),
      })
      expect(refused.text).toContain(`name="rate_per_hour" value="${wrong}"`)
    }
  })

  it('takes no form that is larger than a newsletter', async () => {
    expect((await post('', { ...typed(), html: 'x'.repeat(600 * 1024) })).status).toBe(413)
  })

  it('is for drafts of the team', async () => {
    const other = await signIn(service, service.other.token)
    expect((await visit(service, 'GET', `${PAGE}/${id}/edit`, { cookie: other })).status).toBe(404)
    expect((await visit(service, 'GET', `${PAGE}/new`, { cookie: other })).text).toContain(
      'you have none yet. <a href="/console/segments/new">Create one</a>',
    )
    await post(`/${id}/send`)
    expect((await post(`/${id}/edit`, typed())).status).toBe(422)
  })
})

describe('who was reached', () => {
  it('is listed by what happened, and so are the links', async () => {
    await post(`/${id}/send`)
    await doDue(service)
    const [email] = await emailsOf(service, id)
    await service.database.execute(`update emails set last_event = 'clicked' where id = $1`, [email?.id])
    await service.database.execute(`insert into broadcast_acts (broadcast_id, type, email_id, count) values ($1, 'clicked', $2, 2)`, [
      id,
      email?.id,
    ])
    await service.database.execute(
      `insert into broadcast_marks (broadcast_id, type, email_id) values ($1, 'sent', $2), ($1, 'delivered', $2)`,
      [id, email?.id],
    )
    await service.database.execute(
      `with followed as (
         insert into broadcast_clicks (broadcast_id, url_hash, email_id, url, count)
         values ($1, gen_random_uuid(), $2, 'https://shop.example.com/', 2) returning *
       ) insert into broadcast_links (broadcast_id, url_hash, url, clicks, unique_clicks) select broadcast_id, url_hash, url, count, 1 from followed`,
      [id, email?.id],
    )
    expect((await look(`/${id}`)).text).toContain(`<a href="${PAGE}/${id}/recipients?type=clicked">Clicked</a>`)
    const clicked = await look(`/${id}/recipients?type=clicked`)
    expect(clicked.text).toContain(`<a href="/console/emails/${email?.id}">ada@example.org</a>`)
    expect(clicked.text).toContain('https://shop.example.com/ (2)')
    expect((await look(`/${id}/recipients?email=ADA@`)).text).toContain('ada@example.org')
    expect((await look(`/${id}/recipients?type=bounced`)).text).toContain('There are no such recipients.')
    expect((await look(`/${id}/links`)).text).toContain('https://shop.example.com/')
    const other = await signIn(service, service.other.token)
    for (const path of ['recipients', 'links'])
      expect((await visit(service, 'GET', `${PAGE}/${id}/${path}`, { cookie: other })).status).toBe(404)
  })
})
