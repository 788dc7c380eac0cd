import { ActionIcon, Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { Trash2 } from 'lucide-react'
import { answer, api } from '../api/client'
import { useDialogForm } from '../parts/dialog-form'
import { FormDialog } from '../parts/FormDialog'
import { AUTOMATION_ACT_TEXTS, SIMULATION_TEXTS as TEXTS } from '../texts/automations'
import { SHELL_TEXTS } from '../texts/shell'
import type { Graph } from './graph'
import { SimulationResult } from './SimulationResult'

type Values = { email: string; payload: string; events: { event: string; after: string }[] }

/** What the automation would do for someone, before it does so for everyone. `graph`: its steps as they are on the page, saved or not. */
export function SimulateDialog({ automationId, graph }: { automationId: string; graph?: Graph }) {
  const simulate = useDialogForm({
    initialValues: { email: '', payload: '', events: [] },
    validate: { payload: problemIn },
    run: ({ email, payload, events }: Values) =>
      answer(
        api.POST('/automations/{automation_id}/simulate', {
          params: { path: { automation_id: automationId } },
          body: {
            email: email.trim(),
            payload: payload.trim() === '' ? null : (JSON.parse(payload) as Record<string, never>),
            events,
            // Rules hold rules: the types of bodies cannot say so.
            ...(graph && ({ steps: graph.steps, connections: graph.connections } as object)),
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
        <Textarea label={TEXTS.payload} placeholder="{}" autosize minRows={2} ff="monospace" {...simulate.form.getInputProps('payload')} />
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

function problemIn(text: string): string | null {
  if (text.trim() === '') return null
  try {
    JSON.parse(text)
    return null
  } catch (error) {
    return AUTOMATION_ACT_TEXTS.notJson((error as Error).message)
  }
}
