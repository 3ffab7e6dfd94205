package io.agentjournal.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.agentjournal.v1.AdminServiceGrpc;
import io.agentjournal.v1.Role;
import io.grpc.ServerServiceDefinition;
import io.grpc.protobuf.services.HealthStatusManager;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RequiredRolesTest {
  @Test
  void role_is_the_one_that_the_proto_declares() {
    ServerServiceDefinition admin = new AdminServiceGrpc.AdminServiceImplBase() {}.bindService();
    assertEquals(
        Role.ROLE_READ,
        RequiredRoles.of(List.of(admin))
            .byFullMethodName()
            .get("agentjournal.v1.AdminService/GetServerInfo"));
  }

  @Test
  void method_without_a_role_is_refused_by_name() {
    ServerServiceDefinition health = new HealthStatusManager().getHealthService().bindService();
    IllegalStateException refused =
        assertThrows(IllegalStateException.class, () -> RequiredRoles.of(List.of(health)));
    assertTrue(String.valueOf(refused.getMessage()).contains("grpc.health.v1.Health."));
  }
}
