import { ActionIcon, Button, Fieldset, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { Trash2 } from 'lucide-react'
import { answer, api } from '../api/client'
import { useRecord } from '../api/queries'
import type { FieldType } from '../events/event-fields'
import { useDialogForm } from '../parts/dialog-form'
import { FormDialog } from '../parts/FormDialog'
import { useMay } from '../session/me'
import { AUTOMATION_ACT_TEXTS, FIELD_HINTS, SIMULATION_TEXTS as TEXTS } from '../texts/automations'
import { SHELL_TEXTS } from '../texts/shell'
import { triggerEvent } from './editor/fields'
import type { Graph } from './graph'
import { SimulationResult } from './SimulationResult'

type Values = { email: string; payload: string; fields: Record<string, string>; events: { event: string; after: string }[] }

/** What the automation would do for someone, before it does so for everyone. `isStored`: its steps are those that are saved. */
export function SimulateDialog({ automationId, graph, isStored = false }: { automationId: string; graph: Graph; isStored?: boolean }) {
  const may = useMay()
  const name = triggerEvent(graph)
  const { data: event } = useRecord('/events/{event_id}', { path: { event_id: name } }, { isEnabled: name !== '' && may('events:read') })
  const fields = Object.entries((event?.name === name && event.schema) || {})
  const simulate = useDialogForm({
    initialValues: { email: '', payload: '', fields: {}, events: [] },
    validate: { payload: problemIn },
    run: ({ email, payload, fields: typed, events }: Values) =>
      answer(
        api.POST('/automations/{automation_id}/simulate', {
          params: { path: { automation_id: automationId } },
          body: {
            email: email.trim(),
            payload: payloadOf({ payload, typed, fields }),
            events,
            // Rules hold rules: the types of bodies cannot say so.
            ...(!isStored && ({ steps: graph.steps, connections: graph.connections } as object)),
          },
        }),
      ),
    changes: [],
    staysOpen: true,
    keepsTyped: true,
  })
  return (
    <>
      <Button variant="default" onClick={simulate.open}>
        {TEXTS.open}
      </Button>
      <FormDialog title={TEXTS.title} act={TEXTS.run} size="xl" {...simulate.dialog}>
        <Text size="sm" c="dimmed">
          {TEXTS.hint}
        </Text>
        <TextInput label={TEXTS.email} description={TEXTS.emailHint} required data-autofocus {...simulate.form.getInputProps('email')} />
        {fields.length === 0 ? (
          <Textarea
            label={TEXTS.payload}
            placeholder="{}"
            autosize
            minRows={2}
            ff="monospace"
            {...simulate.form.getInputProps('payload')}
          />
        ) : (
          <Fieldset legend={TEXTS.fields}>
            <Stack gap="xs">
              {fields.map(([field, type]) => (
                <TextInput
                  key={field}
                  label={field}
                  description={FIELD_HINTS[type]}
                  value={simulate.form.values.fields[field] ?? ''}
                  onChange={({ currentTarget }) =>
                    simulate.form.setFieldValue('fields', { ...simulate.form.values.fields, [field]: currentTarget.value })
                  }
                />
              ))}
            </Stack>
          </Fieldset>
        )}
        <Stack gap="xs">
          {simulate.form.values.events.map((_event, index) => (
            <Group key={simulate.form.key(`events.${index}`)} align="flex-end" gap="xs">
              <TextInput label={TEXTS.event} required flex={1} {...simulate.form.getInputProps(`events.${index}.event`)} />
              <TextInput
                label={TEXTS.after}
                placeholder="1 hour"
                required
                w={140}
                {...simulate.form.getInputProps(`events.${index}.after`)}
              />
              <ActionIcon
                variant="default"
                size={36}
                aria-label={SHELL_TEXTS.remove}
                onClick={() => simulate.form.removeListItem('events', index)}
              >
                <Trash2 size={16} />
              </ActionIcon>
            </Group>
          ))}
          <Group>
            <Button variant="default" size="xs" onClick={() => simulate.form.insertListItem('events', { event: '', after: '' })}>
              {TEXTS.add}
            </Button>
          </Group>
        </Stack>
        {simulate.output && <SimulationResult simulation={simulate.output} />}
      </FormDialog>
    </>
  )
}

type Typed = { payload: string; typed: Readonly<Record<string, string>>; fields: readonly [string, FieldType][] }

/** What is empty is left out. Without defined fields, it is written as JSON. */
function payloadOf({ payload, typed, fields }: Typed): Record<string, never> | null {
  if (fields.length === 0) return payload.trim() === '' ? null : (JSON.parse(payload) as Record<string, never>)
  const given = fields.flatMap(([name, type]) => (typed[name]?.trim() ? [[name, fieldValue(type, typed[name].trim())]] : []))
  return Object.fromEntries(given) as Record<string, never>
}

/** What does not look like its type stays a text, and is refused with the sentence of the API. */
function fieldValue(type: FieldType, text: string): string | number | boolean {
  if (type === 'number' && Number.isFinite(Number(text))) return Number(text)
  return type === 'boolean' && (text === 'true' || text === 'false') ? text === 'true' : text
}

function problemIn(text: string): string | null {
  if (text.trim() === '') return null
  try {
    JSON.parse(text)
    return null
  } catch (error) {
    return AUTOMATION_ACT_TEXTS.notJson((error as Error).message)
  }
}
