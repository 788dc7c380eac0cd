import { Button, Text, TextInput } from '@mantine/core'
import { answer, api } from '../api/client'
import type { RecordOf } from '../api/queries'
import { useDialogForm } from '../parts/dialog-form'
import { FormDialog } from '../parts/FormDialog'
import { useMe } from '../session/me'
import { TEMPLATE_TEST_TEXTS as TEXTS, TEMPLATE_TEXTS as WORDS } from '../texts/templates'
import { textOf, typedValue } from './values'

type Template = RecordOf<'/templates/{template_id}'>
type Values = { to: string; from: string; subject: string; variables: Record<string, string> }

/** Sends what the newest version says, published or not, to oneself unless someone else is named. */
export function TestTemplate({ template }: { template: Template }) {
  const { email } = useMe()
  const test = useDialogForm({
    initialValues: {
      to: email,
      from: template.from ?? '',
      subject: template.subject ?? '',
      variables: Object.fromEntries(template.variables.map(({ key, fallback_value }) => [key, textOf(fallback_value)])),
    } as Values,
    run: async ({ to, from, subject, variables }: Values) => {
      const filled = await answer(
        api.POST('/templates/{template_id}/render', {
          params: { path: { template_id: template.id } },
          body: {
            variables: Object.fromEntries(
              template.variables.flatMap(({ key, type }) => (variables[key] ? [[key, typedValue(type, variables[key])] as const] : [])),
            ),
          },
        }),
      )
      const said = subject === template.subject ? filled.subject : subject
      const { html, text } = filled
      return answer(api.POST('/emails', { body: { from, to, subject: TEXTS.subjectOf(said ?? ''), html, ...(text !== null && { text }) } }))
    },
    done: TEXTS.sent,
    changes: ['emails'],
  })
  return (
    <>
      <Button variant="default" onClick={test.open}>
        {TEXTS.send}
      </Button>
      <FormDialog title={TEXTS.send} act={TEXTS.send} {...test.dialog}>
        <Text size="sm" c="dimmed">
          {TEXTS.newest}
        </Text>
        <TextInput label={TEXTS.to} description={TEXTS.toHint} required type="email" data-autofocus {...test.form.getInputProps('to')} />
        <TextInput label={WORDS.from} required {...test.form.getInputProps('from')} />
        <TextInput label={WORDS.subject} required {...test.form.getInputProps('subject')} />
        {template.variables.length > 0 && (
          <Text size="sm" c="dimmed">
            {TEXTS.variables}
          </Text>
        )}
        {template.variables.map(({ key }) => (
          <TextInput key={key} label={key} {...test.form.getInputProps(`variables.${key}`)} />
        ))}
      </FormDialog>
    </>
  )
}
