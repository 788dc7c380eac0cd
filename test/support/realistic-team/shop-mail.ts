// What the shop writes to its customers.
import { PRODUCTS, pick, SHOP } from './words.ts'

export type ShopMail = {
  from: string
  subject: string
  html: string
  text: string
  tags: { name: string; value: string }[]
  /** Where its button leads. */
  link: string
}

type Purpose = { weight: number; category: string; from?: string; make: (order: Order) => Omit<Written, 'order'> }
type Order = { number: number; first: string; product: string; total: string; random: () => number }
type Written = { subject: string; lines: string[]; button: string; path: string }

const PURPOSES: readonly Purpose[] = [
  {
    weight: 30,
    category: 'order-confirmation',
    make: ({ number, first, product, total }) => ({
      subject: `Your order ${number} is confirmed`,
      lines: [
        `Thank you, ${first}.`,
        `We are packing: ${product}.`,
        `Total: €${total}, paid by card. We write again once it is on its way.`,
      ],
      button: 'See your order',
      path: `/orders/${number}`,
    }),
  },
  {
    weight: 22,
    category: 'shipping',
    make: ({ number, first, product }) => ({
      subject: `Order ${number} is on its way`,
      lines: [`Good news, ${first}.`, `${product} left our workshop this morning. It usually takes two to three working days.`],
      button: 'Follow your parcel',
      path: `/orders/${number}/tracking`,
    }),
  },
  {
    weight: 12,
    category: 'sign-in',
    from: SHOP.hello,
    make: ({ first }) => ({
      subject: 'Your link to sign in',
      lines: [
        `Hello ${first},`,
        'Here is your link to sign in. It works once, for 15 minutes.',
        'If you did not ask for it, you can ignore this mail.',
      ],
      button: 'Sign in',
      path: '/sign-in/9f2c',
    }),
  },
  {
    weight: 9,
    category: 'invoice',
    make: ({ number, first, total }) => ({
      subject: `Invoice ${number} from Larkspur & Pine (€${total})`,
      lines: [`Hello ${first},`, `Please find the invoice for your order ${number} below. It is already paid.`],
      button: 'Download the invoice',
      path: `/invoices/${number}.pdf`,
    }),
  },
  {
    weight: 8,
    category: 'review',
    from: SHOP.newsletter,
    make: ({ first, product }) => ({
      subject: `How do you like ${product}?`,
      lines: [`Hello ${first},`, `You have had ${product} for a week now. Two sentences from you help others to choose.`],
      button: 'Write a review',
      path: '/reviews/new',
    }),
  },
  {
    weight: 5,
    category: 'password',
    from: SHOP.hello,
    make: ({ first }) => ({
      subject: 'Choose a new password',
      lines: [`Hello ${first},`, 'Someone asked for a new password for your account. The link works for one hour.'],
      button: 'Choose a password',
      path: '/password/41ab',
    }),
  },
  {
    weight: 5,
    category: 'back-in-stock',
    make: ({ first, product }) => ({
      subject: `Back on the shelf: ${product}`,
      lines: [`Hello ${first},`, `${product} is here again. The last batch was gone within four days.`],
      button: 'Have a look',
      path: '/shop',
    }),
  },
  {
    weight: 4,
    category: 'shipping',
    make: ({ number, first }) => ({
      subject: `Ihre Bestellung ${number} wurde verschickt und trifft voraussichtlich am Donnerstag zwischen 10 und 14 Uhr bei Ihnen ein`,
      lines: [`Guten Tag ${first},`, 'Ihr Paket ist unterwegs. Den Weg können Sie jederzeit verfolgen.'],
      button: 'Sendung verfolgen',
      path: `/de/bestellungen/${number}`,
    }),
  },
  {
    weight: 3,
    category: 'order-confirmation',
    make: ({ number, first }) => ({
      subject: `ご注文 ${number} を承りました`,
      lines: [`${first} 様`, 'ご注文ありがとうございます。発送まで今しばらくお待ちください。'],
      button: 'ご注文を見る',
      path: `/ja/orders/${number}`,
    }),
  },
  {
    weight: 2,
    category: 'order-confirmation',
    make: ({ number, first }) => ({
      subject: `Votre commande ${number} est bien enregistrée`,
      lines: [`Bonjour ${first},`, 'Merci pour votre commande. Nous la préparons avec soin.'],
      button: 'Voir la commande',
      path: `/fr/commandes/${number}`,
    }),
  },
]

const WHOLE_WEIGHT = PURPOSES.reduce((sum, { weight }) => sum + weight, 0)

export function writeShopMail(number: number, firstName: string | null, random: () => number): ShopMail {
  const { category, from = SHOP.orders, make } = purposeFor(random() * WHOLE_WEIGHT)
  const { name: product, price } = pick(PRODUCTS, random)
  const written = make({ number, first: firstName ?? 'there', product, total: (price * (1 + Math.floor(random() * 3))).toFixed(2), random })
  const link = `${SHOP.site}${written.path}`
  return { from, subject: written.subject, ...contentOf(written, link), tags: [{ name: 'category', value: category }], link }
}

function purposeFor(chance: number): Purpose {
  let below = 0
  const purpose = PURPOSES.find(({ weight }) => {
    below += weight
    return chance < below
  })
  if (!purpose) throw new Error('The chance is larger than all weights')
  return purpose
}

export const contentOf = ({ lines, button }: Pick<Written, 'lines' | 'button'>, link: string): { html: string; text: string } => ({
  html: `<!doctype html><html><body style="margin:0;background:#f4f1ea"><table role="presentation" width="100%"><tr><td align="center" style="padding:32px 16px">
<table role="presentation" width="560" style="max-width:100%;background:#fff;border-radius:8px;font-family:Georgia,serif;color:#2d3a33">
<tr><td style="padding:32px 40px 8px;font-size:22px;color:#3f6b57">${SHOP.name.replace('&', '&amp;')}</td></tr>
${lines.map((line) => `<tr><td style="padding:8px 40px;font-size:16px;line-height:1.5">${line}</td></tr>`).join('\n')}
<tr><td style="padding:24px 40px"><a href="${link}" style="background:#3f6b57;color:#fff;padding:12px 22px;border-radius:4px;text-decoration:none">${button}</a></td></tr>
<tr><td style="padding:16px 40px 32px;font-size:13px;color:#6b756f">Larkspur &amp; Pine, 14 Weaver's Lane, Bristol. You can reply to this mail: a person reads it.</td></tr>
</table></td></tr></table></body></html>`,
  text: `${lines.join('\n\n')}\n\n${button}: ${link}\n\nLarkspur & Pine, 14 Weaver's Lane, Bristol`,
})
