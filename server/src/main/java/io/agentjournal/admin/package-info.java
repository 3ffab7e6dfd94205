/** What a server tells of itself. */
@NullMarked
package io.agentjournal.admin;

import org.jspecify.annotations.NullMarked;
