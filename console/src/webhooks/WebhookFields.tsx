import { Button, Checkbox, Collapse, Fieldset, Group, NumberInput, SimpleGrid, Stack, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useDisclosure } from '@mantine/hooks'
import { WEBHOOK_TEXTS as TEXTS } from '../texts/webhooks'
import { EVENT_GROUPS, type EventType } from './event-types'

export type WebhookValues = { endpoint: string; events: EventType[]; ordered: boolean; concurrency: number | string }

type Fields = { form: UseFormReturnType<WebhookValues> }

export function WebhookFields({ form }: Fields) {
  const [isMore, more] = useDisclosure()
  return (
    <>
      <TextInput
        label={TEXTS.endpoint}
        description={TEXTS.endpointHint}
        placeholder="https://example.com/webhooks"
        inputMode="url"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        data-autofocus
        {...form.getInputProps('endpoint')}
      />
      <EventFields form={form} />
      <Button variant="subtle" size="compact-sm" w="fit-content" onClick={more.toggle} aria-expanded={isMore}>
        {TEXTS.more}
      </Button>
      <Collapse expanded={isMore}>
        <Stack>
          <Checkbox label={TEXTS.ordered} description={TEXTS.orderedHint} {...form.getInputProps('ordered', { type: 'checkbox' })} />
          <NumberInput
            label={TEXTS.concurrency}
            description={TEXTS.concurrencyHint}
            allowDecimal={false}
            w={200}
            {...form.getInputProps('concurrency')}
          />
        </Stack>
      </Collapse>
    </>
  )
}

function EventFields({ form }: Fields) {
  const chosen = form.values.events
  const choose = (types: readonly EventType[], isChosen: boolean) =>
    form.setFieldValue('events', isChosen ? [...new Set([...chosen, ...types])] : chosen.filter((type) => !types.includes(type)))
  return (
    <Fieldset legend={TEXTS.whichEvents}>
      <Stack gap="sm">
        {EVENT_GROUPS.map(({ group, types }) => {
          const name = TEXTS.groups[group] ?? group
          const count = types.filter((type) => chosen.includes(type)).length
          return (
            <Stack key={group} gap={6} role="group" aria-label={name}>
              <Group gap="xs">
                <Checkbox
                  label={name}
                  fw={600}
                  aria-label={TEXTS.allOf(name)}
                  checked={count === types.length}
                  indeterminate={count > 0 && count < types.length}
                  onChange={({ currentTarget }) => choose(types, currentTarget.checked)}
                />
              </Group>
              <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" verticalSpacing={4} pl="lg">
                {types.map((type) => (
                  <Checkbox
                    key={type}
                    size="xs"
                    label={type}
                    checked={chosen.includes(type)}
                    onChange={({ currentTarget }) => choose([type], currentTarget.checked)}
                  />
                ))}
              </SimpleGrid>
            </Stack>
          )
        })}
      </Stack>
    </Fieldset>
  )
}
