import { once } from 'node:events'
import { createWriteStream, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TIMESTAMP } from '../support/builders/answers.ts'
import { useCommandsBesideService } from './use-commands.ts'

const { service, folder, command: commandOf, errorsWith } = useCommandsBesideService()

const command = (...[act = '', ...args]: string[]) => commandOf('suppressions', act, '--team', service().teamId, ...args)
const done = (out: string, errors = '') => ({ status: 0, out, errors: errorsWith(errors) })
const refused = (errors: string, out = '') => ({ status: 1, out, errors: errorsWith(errors) })

const listed = async () => {
  const { body } = await service().call('GET', '/suppressions?limit=100')
  return (body as { data: { email: string; origin: string }[] }).data.map(({ email, origin }) => `${email} ${origin}`)
}

describe('suppressions', () => {
  it('adds, lists and removes addresses', async () => {
    expect(await command('add', 'Ada@example.com', 'bob@example.com')).toEqual(
      done('Ada@example.com is suppressed.\nbob@example.com is suppressed.\n'),
    )
    expect(await listed()).toEqual(['bob@example.com manual', 'ada@example.com manual'])
    const { out } = await command('list')
    expect(out.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^ADDRESS {10}ORIGIN {2}SINCE {20}EMAIL$/),
      expect.stringMatching(/^bob@example\.com {2}manual {2}[\d-]{10} [\d:]{8} UTC$/),
      expect.stringMatching(/^ada@example\.com {2}manual {2}[\d-]{10} [\d:]{8} UTC$/),
    ])
    const { body } = await service().call('GET', '/suppressions?origin=manual')
    expect(JSON.parse((await command('list', '--origin', 'manual', '--json')).out)).toEqual((body as { data: object }).data)
    expect(await command('list', '--limit', '1')).toMatchObject({
      errors: errorsWith('These are the newest 1; `suppressions export` prints all.\n'),
    })

    expect(await command('remove', 'ADA@example.com', 'nobody@example.com')).toEqual(
      refused('Not on the suppression list of this team: nobody@example.com.\n', 'ada@example.com is no longer suppressed.\n'),
    )
    expect(await listed()).toEqual(['bob@example.com manual'])
    expect(await command('add', 'nobody')).toEqual(refused('The address must be an address such as `name@example.com`. It is "nobody".\n'))
  })

  it('imports what it exports, for another team too, and can be repeated', async () => {
    const file = join(folder(), 'suppressions.csv')
    writeFileSync(file, 'email,origin\n+plus@example.com,bounce\nspam@example.com,complaint\nbob@example.com,bounce\nnobody,\n')
    const refusal = 'Line 5: The address must be an address such as `name@example.com`. It is "nobody".\n'
    // What was asked for is not done as a whole.
    expect(await command('import', file)).toEqual(refused(refusal, '2 addresses are suppressed now; 1 already was; 1 line was refused.\n'))
    expect(await listed()).toEqual(['spam@example.com complaint', '+plus@example.com bounce', 'bob@example.com manual'])
    expect(await command('import', file)).toEqual(refused(refusal, '0 addresses are suppressed now; 3 already were; 1 line was refused.\n'))

    const { out } = await command('export')
    expect(out.split('\r\n').map((line) => line.split(','))).toEqual([
      ['email', 'origin', 'source_id', 'created_at'],
      ['spam@example.com', 'complaint', '', TIMESTAMP],
      ["'+plus@example.com", 'bounce', '', TIMESTAMP],
      ['bob@example.com', 'manual', '', TIMESTAMP],
      [''],
    ])
    writeFileSync(file, out)
    expect(await command('import', '--team', service().other.teamId, file)).toEqual(done('3 addresses are suppressed now.\n'))
    const { body } = await service().call('GET', '/suppressions/+plus@example.com', { token: service().other.token })
    expect(body).toMatchObject({ email: '+plus@example.com', origin: 'bounce' })
  })

  it('brings the list of another provider, says what it was read as, and asks for the column of one that it does not know', async () => {
    const file = join(folder(), 'elsewhere.csv')
    const bring = (...args: string[]) => commandOf('import', 'suppressions', file, '--team', service().teamId, ...args)
    writeFileSync(file, 'status,reason,email,created\n5.1.1,550 unknown,gone@example.com,1443651125\n5.1.1,550,nobody,1443651125\n')
    const read = 'The file is read as the bounces of SendGrid, because it has its columns.\n'
    const refusal = 'Line 3: The address must be an address such as `name@example.com`. It is "nobody".\n'
    expect(await bring()).toEqual(refused(`${read}${refusal}`, '1 address is suppressed now; 1 line was refused.\n'))
    expect(await bring()).toEqual(refused(`${read}${refusal}`, '0 addresses are suppressed now; 1 already was; 1 line was refused.\n'))
    expect(await listed()).toContain('gone@example.com bounce')

    writeFileSync(file, 'who,when\nunknown@example.com,today\n')
    const question =
      'The file does not say which column has the addresses; its first line has "who", "when". Name the column with --column.\n'
    expect(await bring()).toEqual(refused(question))
    expect(await bring('--column', 'who', '--origin', 'complaint')).toEqual(done('1 address is suppressed now.\n'))
    expect(await listed()).toContain('unknown@example.com complaint')
  })

  it('reads each row of a file in UTF-8 that is valid, and says where the others have bad bytes', async () => {
    const file = join(folder(), 'mixed.csv')
    writeFileSync(
      file,
      Buffer.concat([Buffer.from('a@münchen.example\nb@m'), Buffer.from([0xfc]), Buffer.from('nchen.example\nc@example.com\n')]),
    )
    const refusal =
      'Line 2: The row has bytes that are not valid text, from byte offset 22 of the file: save the file as CSV in UTF-8, and import it again.\n'
    expect(await command('import', file)).toEqual(refused(refusal, '2 addresses are suppressed now; 1 line was refused.\n'))
    expect(await listed()).toEqual(expect.arrayContaining(['a@xn--mnchen-3ya.example manual', 'c@example.com manual']))
  })

  it.each([
    ['windows-1252', (text: string) => Buffer.from(text, 'latin1')],
    ['utf-16le', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['utf-16be', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ])('reads a file in %s as such, and says so', async (encoding, encoded) => {
    const file = join(folder(), 'encoded.csv')
    writeFileSync(file, encoded(`email\n${encoding}@zürich.example\n`))
    expect(await command('import', file)).toEqual(done('1 address is suppressed now.\n', `The file is read in the encoding ${encoding}.\n`))
    expect(await listed()).toContain(`${encoding}@xn--zrich-kva.example manual`)
  })

  it('refuses a file that is no text', async () => {
    const file = join(folder(), 'binary.csv')
    writeFileSync(file, 'email\na@example.com\n\0')
    expect(await command('import', file)).toEqual(
      refused(`The file "${file}" is not a text file: it holds NUL bytes. Save it as CSV in UTF-8.\n`),
    )
  })

  it('imports a file of many batches', async () => {
    const file = join(folder(), 'many.csv')
    const writing = createWriteStream(file)
    for (let row = 0; row < 10_000; row += 1) writing.write(`person${row}@example.net\n`)
    writing.end()
    await once(writing, 'finish')
    expect(await command('import', file)).toEqual(done('10,000 addresses are suppressed now.\n'))
  })

  it('says that a file cannot be read', async () => {
    const { status, errors } = await command('import', 'missing.csv')
    expect({ status, errors }).toEqual({
      status: 1,
      errors: errorsWith('The file "missing.csv" cannot be read: ENOENT: no such file or directory, open \'missing.csv\'\n'),
    })
  })
})
