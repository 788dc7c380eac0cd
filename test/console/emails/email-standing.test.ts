// What the page of an email says of its recipients: how they stand, why, and what comes next.
import { beforeAll, describe, expect, it } from 'vitest'
import { happen, open, send } from '../../support/builders/emails.ts'
import { type Seen, signIn, visit } from '../../support/clients/console.ts'
import { until } from '../../support/clocks/until.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

let cookie: string

const service = shared(() => startTestService({ environment: { ROLES: 'api,worker', DELIVERY: 'capture' } }))
beforeAll(async () => {
  cookie = await signIn(service)
})

const look = (path: string): Promise<Seen> => visit(service, 'GET', path, { cookie })
/** Each recipient of the table with its state, in the order of the table. */
const recipientsIn = (text: string) =>
  [...text.matchAll(/<td><bdi>([^<]*)<\/bdi><\/td><td><span class="state [a-z_]+">([^<]*)</g)].map(([, who, state]) => [who, state])
/** What stands at the top, by name. */
const standingIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...(/<div id="standing">(.*?)<\/div>/s.exec(text)?.[1] ?? '').matchAll(/<dt>([^<]*)<\/dt><dd>(.*?)<\/dd>/gs)].map(
      ([, name = '', value = '']) => [name, value.replaceAll(/<[^>]*>/g, '')],
    ),
  )
const settled = (id: string) =>
  until(async () => {
    const { text } = await look(`/console/emails/${id}`)
    expect(text).not.toMatch(/state (queued|sent)"/)
    return text
  })

describe('the page of an email', () => {
  it('shows each recipient with its state and its attempts, and the timeline', async () => {
    const id = await send(service, {
      to: ['delivered@simulator.test', 'bounced@simulator.test', 'suppressed@simulator.test', 'someone@example.org'],
    })
    const progress = await until(async () => {
      const { text } = await look(`/console/emails/${id}/progress`)
      expect(text).not.toMatch(/state (queued|sent)"/)
      return text
    })

    expect(recipientsIn(progress)).toEqual([
      ['bounced@simulator.test', 'bounced'],
      ['suppressed@simulator.test', 'suppressed'],
      ['delivered@simulator.test', 'delivered'],
      ['someone@example.org', 'delivered'],
    ])
    expect(progress).toContain('bounced at <bdi>simulator</bdi> in 0 ms. 550 5.1.1 <bdi>User unknown. (Simulated.)</bdi>')
    expect(progress).toContain(
      'delivered at <bdi>capture</bdi> in 0 ms. <bdi>Captured: it was stored and did not leave this machine.</bdi>',
    )
    expect(progress).toContain('<span class="soft">Not tried.</span>')
    const timeline = [...progress.matchAll(/<strong>([^<]*)</g)].map(([, type]) => type)
    expect(timeline.sort()).toEqual(['bounced', 'delivered', 'delivered', 'sent', 'sent', 'sent', 'suppressed'])
    expect(progress).toContain('<p class="soft">User unknown. (Simulated.)</p>')
    const page = await look(`/console/emails/${id}`)
    for (const part of progress.matchAll(/<section.*?<\/section>/gs)) expect(page.text).toContain(part[0])
  })

  it('says at the top that only some got it, and why the others did not, in a color that is not good', async () => {
    const id = await send(service, { to: ['bounced@simulator.test', 'someone@example.org'] })
    const text = await settled(id)
    expect(standingIn(text)).toEqual({
      State: '1 of 2 bounced 1 bounced, 1 delivered',
      Reason: 'bounced@simulator.test: 550 5.1.1 User unknown. (Simulated.)',
    })
    expect(text).toContain('<span class="state bounced" title="1 bounced, 1 delivered">1 of 2 bounced</span>')
    const { body } = await service.call('GET', `/emails/${id}`)
    expect(body).toMatchObject({ last_event: 'delivered' })
  })

  it('shows of a scheduled email that its recipients wait as well, and until when', async () => {
    const scheduledAt = new Date(Date.now() + 24 * 60 * 60 * 1_000).toISOString()
    const id = await send(service, { scheduled_at: scheduledAt })
    const progress = (await look(`/console/emails/${id}/progress`)).text
    expect(recipientsIn(progress).map(([, state]) => state)).toEqual(['scheduled'])
    expect(progress).toContain('Not tried yet.')
    expect(progress).toContain(`<p class="soft">for <time datetime="${scheduledAt}"`)
  })

  it('says at the top why nothing was tried', async () => {
    expect(standingIn(await settled(await send(service, { to: 'suppressed@simulator.test' })))).toEqual({
      State: 'suppressed',
      Reason: 'The address is on the suppression list: an earlier email to it bounced. (Simulated.)',
    })
  })

  it('says at the top why an email bounced that had been delivered', async () => {
    const id = await send(service, { to: 'someone@example.org' })
    await settled(id)
    await service.database.execute("update recipients set state = 'bounced' where email_id = $1", [id])
    const bounce = { type: 'Permanent', subType: 'General', message: 'No such user here', diagnosticCode: ['smtp; 550 5.1.1 No such user'] }
    await happen(service, id, [
      { type: 'email.bounced', at: new Date(), data: { to: ['another@example.org'], detail: { bounce: { ...bounce, message: 'No' } } } },
      { type: 'email.bounced', at: new Date(), data: { to: ['someone@example.org'], detail: { bounce } } },
    ])
    expect(standingIn((await look(`/console/emails/${id}`)).text)).toMatchObject({ Reason: 'someone@example.org: No such user here' })
  })

  it.each([
    [
      'that had been opened before',
      'email.answered',
      { answer: { kind: 'bounce', message: 'It was opened.' } },
      'It was opened. Gone away',
    ],
    ['that was opened afterwards', 'email.bounced', {}, 'Gone away'],
  ] as const)('says at the top and in the timeline why an email bounced %s', async (_when, type, answer, reason) => {
    const id = await send(service, { to: 'someone@example.org' })
    await settled(id)
    await service.database.execute("update recipients set state = 'opened' where email_id = $1", [id])
    const bounce = { type: 'Permanent', subType: 'General', message: 'Gone away', diagnosticCode: ['smtp; 550 5.1.1 Gone away'] }
    await happen(service, id, [
      { type, at: new Date(), data: { to: ['someone@example.org'], detail: { ...answer, bounce } } },
      { type: 'email.opened', at: new Date(), data: { to: ['someone@example.org'], ...open() } },
    ])
    const { text } = await look(`/console/emails/${id}`)
    expect(standingIn(text)).toMatchObject({ Reason: `someone@example.org: ${reason}` })
    expect(text.slice(text.indexOf('aria-label="Timeline"'))).toContain(`<p class="soft">${reason}</p>`)
  })

  it('says at the top when the next try is, and when an operator has to resume it first', async () => {
    const id = await send(service, { to: ['someone@example.org', 'slow@example.net'] })
    await settled(id)
    const [slow] = await service.database.execute<{ id: string }>(
      "update recipients set state = 'delivery_delayed' where email_id = $1 and address = 'slow@example.net' returning id",
      [id],
    )
    await service.database.execute(
      "update attempts set outcome = 'delayed', code = 451, enhanced_code = '4.7.1', text = 'Later' where recipient_id = $1",
      [slow?.id],
    )
    // Far away, so that no worker takes it.
    const dueAt = new Date(Date.now() + 24 * 60 * 60 * 1_000)
    await service.database.execute(
      `insert into deliveries (id, team_id, class, destination, email_id, due_at)
        select id, team_id, 'transactional', 'example.net', email_id, $2 from recipients where id = $1`,
      [slow?.id, dueAt],
    )
    const waiting = (await look(`/console/emails/${id}`)).text
    expect(standingIn(waiting)).toMatchObject({
      State: '1 of 2 delayed 1 delayed, 1 delivered',
      Reason: 'slow@example.net: 451 4.7.1 Later',
    })
    expect(waiting).toContain(`<dt>Next try</dt><dd><time datetime="${dueAt.toISOString()}"`)

    await service.database.execute("update deliveries set due_at = 'infinity' where id = $1", [slow?.id])
    expect(standingIn((await look(`/console/emails/${id}`)).text)).toMatchObject({
      'Next try': 'when an operator resumes this part of the queue',
    })
    await service.database.execute('delete from deliveries where id = $1', [slow?.id])
    expect(standingIn((await look(`/console/emails/${id}`)).text)).not.toHaveProperty('Next try')
  })

  it('shows many recipients in one line each, and the first of them at the top', async () => {
    const to = Array.from({ length: 40 }, (_, index) => `someone+${index}@example.org`)
    const text = await settled(await send(service, { to, bcc: 'bounced@simulator.test' }))
    expect(recipientsIn(text)).toEqual([['bounced@simulator.test', 'bounced'], ...to.map((address) => [address, 'delivered'])])
    expect(text).not.toMatch(/<details id="tries-[^"]*" open/)
    expect(text).toContain('someone+0@example.org, someone+1@example.org, someone+2@example.org <details><summary>and 37 more</summary>')
  })

  it('answers its progress again only when it has changed', async () => {
    const id = await send(service, { scheduled_at: 'in 2 hours' })
    const first = await look(`/console/emails/${id}/progress`)
    expect(first.text).toContain('<span class="state scheduled">scheduled</span>')
    const ask = () =>
      visit(service, 'GET', `/console/emails/${id}/progress`, { cookie, headers: { 'if-none-match': first.headers.get('etag') ?? '' } })
    expect((await ask()).status).toBe(304)
    await service.call('POST', `/emails/${id}/cancel`)
    const canceled = (await ask()).text
    expect(canceled).toContain('<strong>canceled</strong>')
    expect(recipientsIn(canceled)).toEqual([['delivered@simulator.test', 'canceled']])
    expect(canceled).toContain('<span class="soft">Not tried.</span>')
    expect(canceled).not.toContain('queued')
    expect((await look(`/console/emails/${id}`)).text).toContain('<span class="state canceled">canceled</span>')
  })
})
