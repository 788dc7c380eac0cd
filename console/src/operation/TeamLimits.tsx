import { Button, NumberInput, SimpleGrid, Stack, Text } from '@mantine/core'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import type { RecordOf } from '../api/queries'
import { ErrorAlert } from '../parts/ErrorAlert'
import { changesOf, useRecordForm } from '../parts/record-form'
import { Section } from '../parts/Section'
import { useRefusal } from '../parts/use-refusal'
import { TEAM_TEXTS as TEXTS } from '../texts/operation'
import { SHELL_TEXTS } from '../texts/shell'

type Name = keyof typeof TEXTS.limit
const NAMES = Object.keys(TEXTS.limit) as Name[]
type Values = Record<Name, number | string>

const bodyOf = (values: Values) =>
  Object.fromEntries(NAMES.map((name) => [name, values[name] === '' ? null : Number(values[name])])) as Record<Name, number | null>

export function TeamLimits({ teamId, limits }: { teamId: string; limits: RecordOf<'/teams/{team_id}/limits'> }) {
  const form = useRecordForm<Values>(Object.fromEntries(NAMES.map((name) => [name, limits[name] ?? ''])) as Values)
  const save = useAct({
    run: (values: Values) => {
      const body = changesOf(bodyOf(form.getInitialValues()), bodyOf(values))
      return answer(api.PATCH('/teams/{team_id}/limits', { params: { path: { team_id: teamId } }, body }))
    },
    done: TEXTS.saved,
    changes: ['teams'],
    isSilent: true,
    onDone: (_saved, values) => form.resetDirty(values),
  })
  const refusal = useRefusal(form, save.error)
  return (
    <Section title={TEXTS.limits}>
      <Text size="sm" c="dimmed">
        {TEXTS.limitsHint}
      </Text>
      <form ref={refusal.around} onSubmit={form.onSubmit((values) => save.mutate(values), refusal.onInvalid)}>
        <Stack>
          <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
            {NAMES.map((name) => (
              <NumberInput
                key={name}
                label={TEXTS.limit[name]}
                allowDecimal={false}
                allowNegative={false}
                thousandSeparator=","
                {...form.getInputProps(name)}
              />
            ))}
          </SimpleGrid>
          {refusal.error && <ErrorAlert error={refusal.error} ref={refusal.alert} />}
          <Button type="submit" w="fit-content" loading={save.isPending} disabled={!form.isDirty()}>
            {SHELL_TEXTS.save}
          </Button>
        </Stack>
      </form>
    </Section>
  )
}
