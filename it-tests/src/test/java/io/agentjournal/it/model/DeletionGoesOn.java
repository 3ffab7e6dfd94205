package io.agentjournal.it.model;

/**
 * What a session's deletion that is under way does next. Its steps are transactions of their own:
 * whoever calls beside it may come between any two.
 */
record DeletionGoesOn(String sessionKey) implements Step {}
