// Mail that customers wrote, and what they were answered.
import { receiveEmail } from '../builders/received-emails.ts'
import { at } from './past.ts'
import { ago, type Team } from './team.ts'

type Letter = {
  hours: number
  from: string
  subject: string
  lines: string[]
  to?: string
  answers?: string
  file?: string
  answer?: string
}

const LETTERS: readonly Letter[] = [
  {
    ...{ hours: 190, from: 'Clara Weiss <clara.weiss7@gmx.de>', subject: 'Tablecloth in another length?' },
    lines: ['Hello,', 'do you make the oat tablecloth in three metres, too? Our table is rather long.', 'Kind regards, Clara Weiss'],
    answer: 'Hello Clara,\n\nyes, we cut it to any length. Three metres are €158. Shall I reserve it?\n\nAoi',
  },
  {
    ...{
      hours: 166,
      from: 'Clara Weiss <clara.weiss7@gmx.de>',
      subject: 'Re: Tablecloth in another length?',
      answers: 'Tablecloth in another length?',
    },
    lines: ['Yes please! And could you send it to my mother in Kiel?', 'Clara'],
  },
  {
    ...{ hours: 75, from: '佐藤 美咲 <misaki.sato12@icloud.com>', subject: '急須の蓋について' },
    lines: ['こんにちは。', '先日届いた急須の蓋だけを購入することはできますか。', '佐藤'],
  },
  {
    ...{
      hours: 52,
      from: 'Accounts Payable <ap@brightwater-hotels.example>',
      subject: 'Invoice 47911: purchase order number missing',
      file: 'PO-2291.pdf',
    },
    lines: [
      'Dear team,',
      'please issue invoice 47911 again with our purchase order number 2291. It is attached.',
      'Brightwater Hotels, Accounts Payable',
    ],
  },
  {
    ...{ hours: 26, from: 'Freya Thornbury <freya.thornbury@gmail.com>', subject: 'Cup arrived broken', file: 'IMG_2041.jpg' },
    lines: [
      'Hi,',
      'one of the two Driftwood cups has a crack from the rim to the foot. Picture attached.',
      'It was wrapped well, so it may have been the glaze.',
      'Freya',
    ],
    answer: 'Dear Freya,\n\nI am sorry. A new cup leaves us today, and you can keep the cracked one for a plant.\n\nAoi',
  },
  {
    ...{ hours: 21, from: 'Freya Thornbury <freya.thornbury@gmail.com>', subject: 'Re: Cup arrived broken', answers: 'Cup arrived broken' },
    lines: ['That is kind, thank you!'],
  },
  {
    ...{
      hours: 6,
      from: 'Out of office <dieter.gruenwald@universitaet-tiefental.example>',
      subject: 'Automatische Antwort: Order 49233 is on its way',
    },
    lines: ['Ich bin bis zum 14. nicht im Büro.'],
  },
  {
    ...{ hours: 1.4, from: 'ليلى حداد <layla.haddad44@outlook.com>', subject: 'سؤال عن شاي البابونج' },
    lines: ['مرحبا،', 'هل شاي البابونج خالٍ من الكافيين؟', 'شكراً، ليلى'],
  },
]

const ADDRESS = 'hello@larkspur.example'
const idOf = (subject: string): string => `<${Buffer.from(subject).toString('hex').slice(0, 24)}@mail.example>`

export async function fillReceived(team: Team): Promise<void> {
  const { service } = team
  for (const letter of LETTERS) {
    const time = ago(team, letter)
    const mailFrom = /<(.*)>/.exec(letter.from)?.[1] ?? ''
    await at(time, () =>
      receiveEmail(service, {
        content: messageOf(letter, time),
        mailFrom,
        rcptTo: [ADDRESS],
        helo: mailFrom.split('@')[1] ?? '',
        tls: 'TLSv1.3',
      }),
    )
    if (letter.answer === undefined) continue
    const reply = {
      ...{ from: `Aoi from Larkspur & Pine <${ADDRESS}>`, to: letter.from, subject: `Re: ${letter.subject}`, text: letter.answer },
      headers: { 'In-Reply-To': idOf(letter.subject), References: idOf(letter.subject) },
    }
    const { status, text } = await at(new Date(time.getTime() + 5_400_000), () => service.call('POST', '/emails', { body: reply }))
    if (status >= 300) throw new Error(text)
  }
}

function messageOf({ from, subject, lines, answers, file }: Letter, time: Date): string {
  const name = /^(.*) </.exec(from)?.[1] ?? ''
  const head = [
    `From: ${encoded(name)} <${/<(.*)>/.exec(from)?.[1]}>`,
    `To: ${ADDRESS}`,
    `Subject: ${encoded(subject)}`,
    `Date: ${time.toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: ${idOf(subject)}`,
    ...(answers === undefined ? [] : [`In-Reply-To: ${idOf(answers)}`, `References: ${idOf(answers)}`]),
    ...(name === 'Out of office' ? ['Auto-Submitted: auto-replied'] : []),
    'MIME-Version: 1.0',
  ]
  const text = ['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: 8bit', '', ...lines]
  if (file === undefined) return [...head, ...text, ''].join('\r\n')
  const type = file.endsWith('.pdf') ? 'application/pdf' : 'image/jpeg'
  const attached = [
    `Content-Type: ${type}`,
    `Content-Disposition: attachment; filename="${file}"`,
    'Content-Transfer-Encoding: base64',
    '',
    'QUJD'.repeat(4_000).replaceAll(/.{76}/g, '$&\r\n'),
  ]
  return [...head, 'Content-Type: multipart/mixed; boundary=part', '', '--part', ...text, '--part', ...attached, '--part--', ''].join(
    '\r\n',
  )
}

const encoded = (text: string): string => (/^[\x20-\x7e]*$/.test(text) ? text : `=?utf-8?b?${Buffer.from(text).toString('base64')}?=`)
