import { Anchor, Switch, Textarea, TextInput } from '@mantine/core'
import { answer, api } from '../../api/client'
import { useDialogForm } from '../../parts/dialog-form'
import { FormDialog } from '../../parts/FormDialog'
import { SenderField } from '../../parts/SenderField'
import { useMay } from '../../session/me'
import { SIMPLE_EMAIL_TEXTS as TEXTS } from '../../texts/automation-editor'

type Values = { subject: string; from: string; text: string; hasLink: boolean }

const NAME_LENGTH_MAX = 100
const TEXT_ROWS = 8

/** An email of plain paragraphs, written where it is missing: it becomes a published template like all others. */
export function SimpleEmail({ onWritten }: { onWritten: (templateId: string) => void }) {
  const may = useMay()
  const write = useDialogForm({
    initialValues: { subject: '', from: '', text: '', hasLink: true },
    run: async ({ subject, from, text, hasLink }: Values) => {
      const body = { name: subject.trim().slice(0, NAME_LENGTH_MAX), subject, from, html: htmlOf(text, hasLink), variables: [] }
      const { id } = await answer(api.POST('/templates', { body }))
      await answer(api.POST('/templates/{template_id}/publish', { params: { path: { template_id: id } } }))
      return id
    },
    done: TEXTS.written,
    changes: ['templates'],
    keepsTyped: true,
    onDone: onWritten,
  })
  if (!may('templates:write', 'broadcasts:send')) return null
  const { form } = write
  return (
    <>
      <Anchor component="button" type="button" size="sm" onClick={write.open}>
        {TEXTS.open}
      </Anchor>
      <FormDialog title={TEXTS.title} act={TEXTS.act} {...write.dialog}>
        <TextInput label={TEXTS.subject} required data-autofocus {...form.getInputProps('subject')} />
        <SenderField label={TEXTS.from} required {...form.getInputProps('from')} />
        <Textarea label={TEXTS.text} description={TEXTS.textHint} required rows={TEXT_ROWS} dir="auto" {...form.getInputProps('text')} />
        <Switch label={TEXTS.link} {...form.getInputProps('hasLink', { type: 'checkbox' })} />
      </FormDialog>
    </>
  )
}

const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => ESCAPED[sign] ?? sign)

/** Paragraphs are what has an empty line between. */
function htmlOf(text: string, hasLink: boolean): string {
  const paragraphs = text
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.trim())
    .filter((paragraph) => paragraph !== '')
    .map((paragraph) => `<p>${escaped(paragraph).replaceAll('\n', '<br>')}</p>`)
  return [...paragraphs, ...(hasLink ? [`<p><a href="{{{UNSUBSCRIBE_URL}}}">${TEXTS.unsubscribe}</a></p>`] : [])].join('\n')
}
