import { beforeAll, describe, expect, it } from 'vitest'
import { send, UNKNOWN_ID } from '../../support/builders/emails.ts'
import { type Seen, signIn, visit } from '../../support/clients/console.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

let cookie: string
const service = shared(() => startTestService())
beforeAll(async () => {
  cookie = await signIn(service)
})

const PAGE = '/console/emails'
const look = (path: string) => visit(service, 'GET', `${PAGE}${path}`, { cookie })
const post = (path: string, form: Record<string, string> = {}) => visit(service, 'POST', `${PAGE}${path}`, { cookie, form })
const read = async (id: string) => (await service.call('GET', `/emails/${id}`)).body as Record<string, unknown>
const problemOf = ({ status, text }: Seen) => [status, /role="alert"[^>]*>([\s\S]*?)<\/p>/.exec(text)?.[1]?.replace(/<[^>]*>/g, '')]

describe('an email that waits for its time', () => {
  it('gets another one, or a sentence about what was typed', async () => {
    const id = await send(service, { scheduled_at: 'in 2 hours' })
    const before = (await read(id)).scheduled_at
    const refused = await post(`/${id}/reschedule`, { scheduled_at: '"><b>' })
    expect(problemOf(refused)).toEqual([422, expect.stringContaining('The scheduled_at field')])
    expect(refused.text).toContain('name="scheduled_at" value="&quot;&gt;&lt;b&gt;"')
    expect((await read(id)).scheduled_at).toBe(before)
    expect((await post(`/${id}/reschedule`, { scheduled_at: 'in 5 hours' })).location).toBe(`${PAGE}/${id}?done=rescheduled`)
    expect((await read(id)).scheduled_at).not.toBe(before)
    expect((await look(`/${id}?done=rescheduled`)).text).toContain('The email has a new time.')
  })

  it('is canceled once', async () => {
    const id = await send(service, { scheduled_at: 'in 2 hours' })
    // One click is not enough.
    expect((await look(`/${id}`)).text).toMatch(
      new RegExp(`<details id="cancel"><summary>Cancel …</summary>[^]*action="${PAGE}/${id}/cancel"[^]*?</details>`),
    )
    expect((await post(`/${id}/cancel`)).location).toBe(`${PAGE}/${id}?done=canceled`)
    expect(await read(id)).toMatchObject({ last_event: 'canceled' })
    expect((await look(`/${id}`)).text).not.toContain(`action="${PAGE}/${id}/cancel"`)
    const again = [422, 'This email cannot be canceled: it is not scheduled, or its scheduled time has come.']
    expect(problemOf(await post(`/${id}/cancel`))).toEqual(again)
  })
})

describe('any email', () => {
  it('is shared by a link that anyone can open', async () => {
    const id = await send(service, { subject: 'To share' })
    const seen = await post(`/${id}/share`, { expires_in: '1 hour' })
    const url = /<code id="shared">([^<]*)</.exec(seen.text)?.[1] ?? ''
    const shared = await fetch(`${service.url}${new URL(url).pathname}`)
    expect([seen.status, shared.status, (await shared.text()).includes('To share')]).toEqual([200, 200, true])
    expect(problemOf(await post(`/${id}/share`, { expires_in: '3 days' }))).toEqual([422, 'The expires_in field must be at most 48 hours.'])
  })

  it('of another team does not exist, and other sites change nothing', async () => {
    const other = await send(service, { scheduled_at: 'in 2 hours' }, { token: service.other.token })
    for (const id of [other, UNKNOWN_ID, 'nope'])
      for (const [act, form] of [
        ['cancel', {}],
        ['reschedule', { scheduled_at: 'in 5 hours' }],
        ['share', {}],
      ] as const)
        expect([id, act, (await post(`/${id}/${act}`, form)).status]).toEqual([id, act, 404])
    const ours = await send(service, { scheduled_at: 'in 2 hours' })
    const forged = await visit(service, 'POST', `${PAGE}/${ours}/cancel`, { cookie, origin: 'https://evil.example', form: {} })
    expect([forged.status, (await read(ours)).last_event]).toEqual([403, 'scheduled'])
  })
})
