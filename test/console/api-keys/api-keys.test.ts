import { beforeEach, describe, expect, it } from 'vitest'
import { createId, idBound } from '../../../src/lib/ids.ts'
import { sweepSessions } from '../../../src/server/sweeps.ts'
import { UNKNOWN_ID } from '../../support/builders/emails.ts'
import { problemIn, type Seen, sectionVisitor, signIn, visit } from '../../support/clients/console.ts'
import { callAs, signInPerson } from '../../support/clients/people.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const ADDRESS = '/console/api-keys'

let cookie: string

const service = shared(() => startTestService())
beforeEach(async () => {
  cookie = await signIn(service)
})

const { read, send } = sectionVisitor(ADDRESS, () => ({ service, cookie }))
const create = (form: Record<string, string>) => send(ADDRESS, { id: createId(), name: 'n', permission: 'full_access', ...form })
const tokenIn = ({ text }: Seen): string => /<code id="token">(re_[^<]+)<\/code>/.exec(text)?.[1] ?? ''
const keyNamed = async (name: string) => {
  const { body } = await service.call('GET', '/api-keys')
  return (body as { data: { id: string; name: string }[] }).data.find((key) => key.name === name)
}

describe('creating a key', () => {
  it('shows a key that works, once, and says so', async () => {
    const opened = await read()
    const [, id = ''] = /name="id" value="([^"]+)"/.exec(opened.text) ?? []
    const made = await create({ id, name: 'Shop' })
    const token = tokenIn(made)
    expect(made.status).toBe(200)
    expect(made.headers.get('cache-control')).toBe('private, no-store')
    expect(made.text).toContain('Copy it now: it will not be shown again.')
    expect((await service.call('GET', '/domains', { token })).status).toBe(200)
    expect(await keyNamed('Shop')).toMatchObject({ id })
    for (const path of [ADDRESS, `${ADDRESS}/${id}`]) expect((await read(path)).text).not.toContain(token)
  })

  it('makes one key of a form that is sent twice, also at once', async () => {
    const id = createId()
    const both = await Promise.all([create({ id, name: 'Twice' }), create({ id, name: 'Twice' })])
    expect(both.map(tokenIn).filter(Boolean)).toHaveLength(1)
    expect(both.find((seen) => seen.status === 303)?.location).toBe(`${ADDRESS}?done=again`)
    expect((await read(`${ADDRESS}?done=again`)).text).toContain('This form was already sent.')
    expect((await create({ id: id.toUpperCase(), name: 'Twice' })).status).toBe(303)
  })

  it('names it as of the person who made it once they are removed', async () => {
    const grace = await signInPerson(service, 'grace', { roles: { [service.teamId]: 'developer' } })
    const form = { id: createId(), name: 'Of Grace', permission: 'sending_access' }
    expect((await visit(service, 'POST', ADDRESS, { cookie: grace.cookie, form })).status).toBe(200)
    const removed = await callAs(service, { cookie }, 'DELETE', `/members/${grace.id}`)
    expect(removed).toMatchObject({ status: 200, body: { api_keys: [{ id: form.id, name: 'Of Grace' }] } })
  })

  it('makes no key of a form whose key was deleted, until such a form is too old anyway', async () => {
    const id = createId()
    const form = { id, name: 'Deleted' }
    expect(tokenIn(await create(form))).toMatch(/^re_/)
    await visit(service, 'POST', `${ADDRESS}/${id}/delete`, { cookie })
    const replayed = await Promise.all([create(form), create(form)])
    expect(replayed.map(({ location }) => location)).toEqual([`${ADDRESS}?done=again`, `${ADDRESS}?done=again`])
    expect(await keyNamed('Deleted')).toBeUndefined()
    const { clock, ...rest } = service.service.context
    const sweepIn = async (hours: number) => {
      await sweepSessions({ ...rest, clock: { ...clock, now: () => new Date(clock.now().getTime() + hours * 3_600_000) } })
      return service.database.execute('select id from used_forms where id = $1', [id])
    }
    expect(await sweepIn(47)).toEqual([{ id }])
    expect(await sweepIn(49)).toEqual([])
  })

  it("says nothing of another team's key with the same id", async () => {
    const { body } = await service.call('POST', '/api-keys', { token: service.other.token, body: { name: 'Theirs' } })
    const { id } = body as { id: string }
    expect((await create({ id, name: 'Mine' })).location).toBe(`${ADDRESS}?done=again`)
    expect(await keyNamed('Mine')).toBeUndefined()
  })

  it.each([
    ['no id', { id: '' }],
    ['one of long ago', { id: idBound(1_000_000) }],
    ['one of the far future', { id: idBound(Date.UTC(2100, 0)) }],
    ['one of in a minute', { id: idBound(Date.now() + 60_000) }],
    ['one that is none', { id: '<b>' }],
  ])('refuses a form with %s, and offers it again', async (_name, form) => {
    const seen = await create({ ...form, name: 'Again' })
    expect(problemIn(seen)).toEqual({ status: 422, problem: 'This form is too old. Please send it again.' })
    const [, fresh = ''] = /name="id" value="([^"]+)"/.exec(seen.text) ?? []
    expect(seen.text).toContain('value="Again"')
    expect(tokenIn(await create({ id: fresh, name: 'Again' }))).toMatch(/^re_/)
  })

  it('restricts a key to a domain by its name', async () => {
    await service.call('POST', '/domains', { body: { name: 'shop.example' } })
    const token = tokenIn(await create({ name: 'Bound', permission: 'sending_access', domain: ' Shop.Example ' }))
    expect((await service.call('GET', '/domains', { token })).status).toBe(401)
    const { id = '' } = (await keyNamed('Bound')) ?? {}
    const { text } = await read(`${ADDRESS}/${id}`)
    expect(text).toMatch(/sending only, from <a href="\/console\/domains\/[^"]+">shop\.example<\/a>/)
    const { body } = await service.call('GET', '/domains')
    for (const domain of (body as { data: { id: string }[] }).data) await service.call('DELETE', `/domains/${domain.id}`)
    await expect.poll(async () => (await read()).text).toContain('a domain that was deleted: it can send nothing')
  })

  it.each([
    ['a name that is too long', { name: 'n'.repeat(51) }, /^The `name` field must have at most 50 characters/],
    ['a name that no one can see', { name: '\u202e\u2066' }, /^The `name` field must have at least one visible character/],
    ['a permission that does not exist', { permission: 'all' }, /^The `permission` field must be/],
    [
      'a domain that the team does not have',
      { permission: 'sending_access', domain: 'no.example' },
      /^The `domain` field is not the name of one of your domains\.$/,
    ],
  ])('refuses %s with the sentence of the API, and keeps what was typed', async (_name, form, sentence) => {
    const seen = await create(form)
    expect(problemIn(seen)).toEqual({ status: 422, problem: expect.stringMatching(sentence) })
    expect(tokenIn(seen)).toBe('')
  })

  it('refuses a domain for a key with full access', async () => {
    await service.call('POST', '/domains', { body: { name: 'full.example' } })
    expect(problemIn(await create({ domain: 'full.example' }))).toMatchObject({ status: 422 })
  })

  it('reads names full of markup, emoji and directions as text', async () => {
    const name = '<script>alert(1)</script> \u202e 🎉'
    const made = await create({ name })
    expect(made.text).toContain('<bdi>&lt;script&gt;alert(1)&lt;/script&gt; \u202e 🎉</bdi>')
    const list = await read()
    expect(list.text).toContain('<bdi>&lt;script&gt;alert(1)&lt;/script&gt; \u202e 🎉</bdi>')
    expect(list.text).not.toContain('<script>alert')
  })

  it('refuses 10,000 characters, and a body that is far too long', async () => {
    expect((await create({ name: 'n'.repeat(10_000) })).status).toBe(422)
    expect((await create({ name: 'n'.repeat(100_000) })).status).toBe(413)
  })
})

describe('a key', () => {
  const made = async (name: string): Promise<{ id: string; token: string }> => {
    const token = tokenIn(await create({ name }))
    return { id: (await keyNamed(name))?.id ?? '', token }
  }

  it('is renamed, and says so', async () => {
    const { id } = await made('Before')
    expect((await send(`${ADDRESS}/${id}/rename`, { name: ' After ' })).location).toBe(`${ADDRESS}/${id}?done=renamed`)
    expect((await read(`${ADDRESS}/${id}?done=renamed`)).text).toContain('The name was saved.')
    expect(await keyNamed('After')).toMatchObject({ id })
    const refused = await send(`${ADDRESS}/${id}/rename`, { name: 'x'.repeat(60) })
    expect(problemIn(refused).status).toBe(422)
    expect(refused.text).toContain('x'.repeat(60))
    expect((await read(`${ADDRESS}/${id}/rename`)).location).toBe(`${ADDRESS}/${id}`)
  })

  it('is called by the end of its id if it has no name', async () => {
    const { id } = await made('')
    expect((await read()).text).toContain(`<bdi>Key …${id.slice(-8)}</bdi>`)
  })

  it('asks before it is deleted, says what stops, and then stops', async () => {
    const { id, token } = await made('Leaving')
    const asked = await read(`${ADDRESS}/${id}/delete`)
    expect(asked.text).toContain('Programs that use it are refused from now on.')
    expect(asked.text).toContain('Emails that were scheduled with it and are not due yet will fail.')
    expect(asked.text).not.toContain('It is the last key with full access.')
    expect((await service.call('GET', '/domains', { token })).status).toBe(200)
    expect((await send(`${ADDRESS}/${id}/delete`)).location).toBe(`${ADDRESS}?done=deleted`)
    expect((await service.call('GET', '/domains', { token })).status).toBe(403)
    expect((await send(`${ADDRESS}/${id}/delete`)).status).toBe(404)
  })

  it('says that it is the last one with full access', async () => {
    const lone = await startTestService()
    const first = await signIn(lone)
    const { body } = await lone.call('GET', '/api-keys')
    const full: string[] = []
    for (const { id } of (body as { data: { id: string }[] }).data) {
      const { text } = await visit(lone, 'GET', `${ADDRESS}/${id}/delete`, { cookie: first })
      if (text.includes('It is the last key with full access.')) full.push(id)
    }
    expect(full).toHaveLength(1)
    await lone.close()
  })

  it('is unknown to another team, and so is what does not exist', async () => {
    const { body } = await service.call('POST', '/api-keys', { token: service.other.token, body: { name: 'Theirs too' } })
    const { id: theirs } = body as { id: string }
    for (const id of [theirs, UNKNOWN_ID, 'none', '%3Cb%3E'])
      for (const [method, path] of [
        ['GET', `${ADDRESS}/${id}`],
        ['GET', `${ADDRESS}/${id}/delete`],
        ['POST', `${ADDRESS}/${id}/delete`],
        ['POST', `${ADDRESS}/${id}/rename`],
      ] as const)
        expect({
          method,
          path,
          status: (await visit(service, method, path, { cookie, ...(method === 'POST' && { form: { name: 'x' } }) })).status,
        }).toEqual({ method, path, status: 404 })
    expect((await read()).text).not.toContain('Theirs too')
    expect((await service.call('GET', '/api-keys', { token: service.other.token })).body).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ id: theirs, name: 'Theirs too' })]),
    })
  })
})

it('takes no form from another site, and none without a session', async () => {
  const form = { id: createId(), name: 'Forged', permission: 'full_access' }
  expect((await visit(service, 'POST', ADDRESS, { cookie, form, origin: 'https://evil.example' })).status).toBe(403)
  expect((await visit(service, 'POST', ADDRESS, { cookie, form, origin: null })).status).toBe(403)
  expect((await visit(service, 'POST', ADDRESS, { form })).location).toBe('/console/sign-in')
  expect(await keyNamed('Forged')).toBeUndefined()
})
