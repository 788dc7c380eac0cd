import { describe, expect, it } from 'vitest'
import { failure, missing, outcome } from '../../support/builders/answers.ts'
import { emailInput, send } from '../../support/builders/emails.ts'
import { createMovingClock } from '../../support/clocks/clocks.ts'
import { shared, startTestService } from '../../support/servers/service.ts'

const clock = createMovingClock()

const service = shared(() => startTestService({ clock }))

const INVALID_LINK = failure(403, 'invalid_link', 'This link is not complete, or was changed. Ask for a new one.')
const EXPIRED_LINK = failure(403, 'invalid_link', 'This link has expired. Ask for a new one.')
const HOUR_MS = 60 * 60 * 1_000

type Linked = { data: { download_url: string; expires_at: string }[] }

/** Sends a file and returns the path of its link. */
async function pathOfFile(file: Record<string, unknown>): Promise<string> {
  const id = await send(service, { attachments: [{ content: 'aGk=', ...file }] })
  const { body } = await service.call('GET', `/emails/${id}/attachments`)
  return new URL((body as Linked).data[0]?.download_url ?? '').pathname
}

const download = (path: string) => service.call('GET', path, { token: null })

describe('GET /downloads/:token', () => {
  it('gives the file without a key, as a download that no browser runs', async () => {
    const answer = await download(
      await pathOfFile({ filename: 'page.html', content: Buffer.from('<script>1</script>').toString('base64') }),
    )

    expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: '<script>1</script>' })
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="page.html"; filename*=UTF-8''page.html`,
      'content-security-policy': "sandbox; default-src 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'private, no-store',
      'content-length': '18',
    })
  })

  it.each([
    ['отчёт.pdf', `attachment; filename="_____.pdf"; filename*=UTF-8''%D0%BE%D1%82%D1%87%D1%91%D1%82.pdf`],
    ['a "quoted" 100% (1).txt', `attachment; filename="a _quoted_ 100_ (1).txt"; filename*=UTF-8''a%20%22quoted%22%20100%25%20%281%29.txt`],
    ["it's; filename=x.txt", `attachment; filename="it's; filename=x.txt"; filename*=UTF-8''it%27s%3B%20filename%3Dx.txt`],
  ])('names the file %s so that every browser understands it', async (filename, disposition) => {
    const answer = await download(await pathOfFile({ filename }))
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-disposition')).toBe(disposition)
  })

  it('works for a name of 255 characters of any script', async () => {
    const filename = `${'注'.repeat(251)}.txt`
    const answer = await download(await pathOfFile({ filename, content_type: `text/plain; name="${'x'.repeat(200)}"` }))
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 200, text: 'hi' })
  })

  it('calls a file without name attachment', async () => {
    const answer = await download(await pathOfFile({}))
    expect(answer.headers.get('content-disposition')).toBe(`attachment; filename="attachment"; filename*=UTF-8''attachment`)
  })

  it('says nothing in its link of the team or the email', async () => {
    const id = await send(service, { attachments: [{ content: 'aGk=' }] })
    const { body } = await service.call('GET', `/emails/${id}/attachments`)
    const token = new URL((body as Linked).data[0]?.download_url ?? '').pathname.slice('/downloads/'.length)
    const readable = token.split('.').map((part) => Buffer.from(part, 'base64url').toString())
    expect(readable.join('\n')).not.toMatch(new RegExp(`${service.teamId}|${id}`))
  })

  it('does not open when any one character of the link was changed', async () => {
    const path = await pathOfFile({ filename: 'a.txt' })
    const prefix = '/downloads/'
    for (let at = prefix.length; at < path.length; at += 1) {
      const changed = `${path.slice(0, at)}${path[at] === 'A' ? 'B' : 'A'}${path.slice(at + 1)}`
      expect(outcome(await download(changed)), `character ${at}`).toEqual(INVALID_LINK)
    }
    expect((await download(path)).status).toBe(200)
  })

  it.each(['x', 'x'.repeat(1_500), '1.e30.', '0.e30.AAAA', '%20', '..%2f..%2fetc%2fpasswd'])(
    'answers 403 for the token %s',
    async (token) => {
      expect(outcome(await download(`/downloads/${token}`))).toEqual(INVALID_LINK)
    },
  )

  it('does not open with the token of a shared page, nor a shared page with that of a download', async () => {
    const id = await send(service)
    const { body } = await service.call('POST', `/emails/${id}/share`)
    const shared = new URL((body as { url: string }).url).pathname
    expect(outcome(await download(shared.replace('/share/', '/downloads/')))).toEqual(INVALID_LINK)

    const path = await pathOfFile({ filename: 'a.txt' })
    const page = await download(path.replace('/downloads/', '/share/'))
    expect(page.status).toBe(403)
  })

  it('does not open with the token of another installation', async () => {
    const other = await startTestService()
    const id = await send(other, { attachments: [{ content: 'aGk=' }] })
    const { body } = await other.call('GET', `/emails/${id}/attachments`)
    const path = new URL((body as Linked).data[0]?.download_url ?? '').pathname
    await other.close()
    expect(outcome(await download(path))).toEqual(INVALID_LINK)
  })

  it('works for an hour and not a millisecond longer', async () => {
    const id = await send(service, { attachments: [{ content: 'aGk=' }] })
    const { body } = await service.call('GET', `/emails/${id}/attachments`)
    const [link] = (body as Linked).data
    const path = new URL(link?.download_url ?? '').pathname
    expect(link?.expires_at).toBe(new Date(clock.now().getTime() + HOUR_MS).toISOString())

    clock.advance(HOUR_MS - 1)
    expect((await download(path)).status).toBe(200)
    clock.advance(1)
    expect(outcome(await download(path))).toEqual(EXPIRED_LINK)
  })

  it('answers 404 when the file is gone', async () => {
    const path = await pathOfFile({ filename: 'a.txt' })
    const [row] = await service.database.execute<{ key: string }>('select blob_key as key from attachments order by id desc limit 1')
    await service.service.context.gateways.blobs.remove(row?.key ?? '')
    expect(outcome(await download(path))).toEqual(missing('File'))
  })

  it('takes no other method', async () => {
    const path = await pathOfFile({ filename: 'a.txt' })
    const answer = await service.call('POST', path, { token: null, body: emailInput() })
    expect(answer.status).toBe(405)
  })
})
