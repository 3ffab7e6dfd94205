package io.agentjournal.rpc;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import io.agentjournal.v1.Common;
import io.agentjournal.v1.Role;
import io.grpc.ServerServiceDefinition;
import io.grpc.protobuf.ProtoServiceDescriptorSupplier;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The role that each method needs, as its proto declares. Made once, at start: a method that
 * declares none does not let the server start.
 */
public record RequiredRoles(Map<String, Role> byFullMethodName) {
  public RequiredRoles {
    byFullMethodName = Map.copyOf(byFullMethodName);
  }

  public static RequiredRoles of(List<ServerServiceDefinition> services) {
    Map<String, Role> roles = new HashMap<>();
    for (ServerServiceDefinition service : services) {
      for (MethodDescriptor method : descriptor(service).getMethods()) {
        roles.put(fullName(method), declared(method));
      }
    }
    return new RequiredRoles(roles);
  }

  private static ServiceDescriptor descriptor(ServerServiceDefinition service) {
    if (service.getServiceDescriptor().getSchemaDescriptor()
        instanceof ProtoServiceDescriptorSupplier schema) {
      return schema.getServiceDescriptor();
    }
    throw new IllegalStateException(service.getServiceDescriptor().getName() + " has no schema");
  }

  private static Role declared(MethodDescriptor method) {
    Role role = method.getOptions().getExtension(Common.requiredRole);
    if (role == Role.ROLE_UNSPECIFIED || role == Role.UNRECOGNIZED) {
      throw new IllegalStateException(method.getFullName() + " declares no required_role");
    }
    return role;
  }

  private static String fullName(MethodDescriptor method) {
    return io.grpc.MethodDescriptor.generateFullMethodName(
        method.getService().getFullName(), method.getName());
  }
}
