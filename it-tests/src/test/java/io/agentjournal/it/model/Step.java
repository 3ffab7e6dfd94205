package io.agentjournal.it.model;

/** What happens next in a sequence. */
sealed interface Step permits Call, TimePasses, DeletionGoesOn {}
