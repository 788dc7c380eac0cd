import { Button, Text, TextInput } from '@mantine/core'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { type RowOf, useRows } from '../api/queries'
import { type Role, RoleField } from '../members/RoleField'
import { Address } from '../parts/Address'
import { ConfirmButton } from '../parts/ConfirmButton'
import { DataList } from '../parts/DataList'
import { useDialogForm } from '../parts/dialog-form'
import { FormDialog } from '../parts/FormDialog'
import { Section } from '../parts/Section'
import { MailHint } from '../session/MailHint'
import { useInvited } from '../session/me'
import { MEMBER_TEXTS } from '../texts/members'
import { TEAM_TEXTS as TEXTS } from '../texts/operation'

type Member = RowOf<'/teams/{team_id}/members'>

/** The people of a team, for who runs the installation. */
export function TeamMembers({ teamId }: { teamId: string }) {
  const path = { team_id: teamId }
  const members = useRows('/teams/{team_id}/members', { path })
  const invitations = useRows('/teams/{team_id}/invitations', { path })
  return (
    <Section title={TEXTS.members} acts={<Invite teamId={teamId} />}>
      <Text size="sm" c="dimmed">
        {TEXTS.membersHint}
      </Text>
      <DataList
        label={TEXTS.members}
        list={members}
        empty={TEXTS.noMembers}
        columns={[
          { name: MEMBER_TEXTS.name, cell: ({ name, email }) => <bdi>{name || email}</bdi> },
          { name: MEMBER_TEXTS.email, cell: ({ email }) => <Address of={email} isDimmed />, isWide: true },
          { name: MEMBER_TEXTS.role, cell: ({ role }) => MEMBER_TEXTS.roles[role][0] },
          { name: MEMBER_TEXTS.acts, isActs: true, cell: (member: Member) => <Remove teamId={teamId} member={member} /> },
        ]}
      />
      {invitations.rows.length > 0 && (
        <DataList
          label={MEMBER_TEXTS.invitations}
          list={invitations}
          columns={[
            { name: MEMBER_TEXTS.invitations, cell: ({ email }) => <Address of={email} /> },
            { name: MEMBER_TEXTS.role, cell: ({ role }) => MEMBER_TEXTS.roles[role][0] },
          ]}
        />
      )}
    </Section>
  )
}

function Remove({ teamId, member: { id, name, email } }: { teamId: string; member: Member }) {
  const remove = useAct({
    run: () => answer(api.DELETE('/teams/{team_id}/members/{member_id}', { params: { path: { team_id: teamId, member_id: id } } })),
    done: MEMBER_TEXTS.removed,
    changes: ['teams'],
  })
  return (
    <ConfirmButton
      name={MEMBER_TEXTS.removeShort}
      label={`${MEMBER_TEXTS.removeShort}: ${name || email}`}
      act={MEMBER_TEXTS.remove}
      size="compact-sm"
      question={MEMBER_TEXTS.removeMeans(name || email).join(' ')}
      onConfirm={() => remove.mutate()}
      isBusy={remove.isPending}
    />
  )
}

function Invite({ teamId }: { teamId: string }) {
  const invited = useInvited()
  const invite = useDialogForm({
    initialValues: { email: '', role: 'owner' },
    run: (body: { email: string; role: Role }) =>
      answer(api.POST('/teams/{team_id}/invitations', { params: { path: { team_id: teamId } }, body })),
    done: ({ email }) => invited(email),
    changes: ['teams'],
  })
  return (
    <>
      <Button size="xs" variant="default" onClick={invite.open}>
        {MEMBER_TEXTS.invite}
      </Button>
      <FormDialog title={MEMBER_TEXTS.invite} {...invite.dialog} act={MEMBER_TEXTS.invite}>
        <TextInput label={MEMBER_TEXTS.email} type="email" required data-autofocus {...invite.form.getInputProps('email')} />
        <RoleField
          isOperator
          label={MEMBER_TEXTS.role}
          value={invite.form.values.role}
          onChange={(role) => invite.form.setFieldValue('role', role)}
        />
        <MailHint
          sentence={MEMBER_TEXTS.inviteHint}
          command={['people', 'invite', invite.form.values.email.trim() || 'ADDRESS', '--role', invite.form.values.role, '--team', teamId]}
        />
      </FormDialog>
    </>
  )
}
